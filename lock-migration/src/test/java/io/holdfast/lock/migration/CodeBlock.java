package io.holdfast.lock.migration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A block of code on a page, with the comment above it that says where it comes from.
 *
 * @param place file and line
 * @param language as the block names it
 * @param source file and region, as the comment has it; empty if there is none
 * @param lines what is shown
 */
record CodeBlock(String place, String language, String source, List<String> lines) {

    private static final Pattern SOURCE = Pattern.compile("<!-- (\\S+) -->");

    /** Those of Java and YAML. */
    static List<CodeBlock> allIn(Path page) throws IOException {
        return allIn(page, "java|yaml");
    }

    /** @param languages a regular expression */
    static List<CodeBlock> allIn(Path page, String languages) throws IOException {
        Pattern begin = Pattern.compile("```(" + languages + ')');
        List<String> lines = Files.readAllLines(page);
        List<CodeBlock> blocks = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            Matcher found = begin.matcher(lines.get(i));
            if (found.matches()) {
                int end = i + lines.subList(i, lines.size()).indexOf("```");
                String place = page.getFileName() + ":" + (i + 1);
                List<String> code = List.copyOf(lines.subList(i + 1, end));
                blocks.add(new CodeBlock(place, found.group(1), sourceIn(lines.get(i - 1)), code));
            }
        }
        return blocks;
    }

    private static String sourceIn(String line) {
        Matcher source = SOURCE.matcher(line);
        return source.matches() ? source.group(1) : "";
    }
}
