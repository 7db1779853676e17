package io.holdfast.lock.migration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A block of Java or YAML on a page, with the comment above it that says where it comes from.
 *
 * @param place file and line
 * @param source file and region, as the comment has it; empty if there is none
 * @param lines what is shown
 */
record CodeBlock(String place, String source, List<String> lines) {

    private static final Pattern SOURCE = Pattern.compile("<!-- (\\S+) -->");
    private static final Pattern BEGIN = Pattern.compile("```(java|yaml)");

    static List<CodeBlock> allIn(Path page) throws IOException {
        List<String> lines = Files.readAllLines(page);
        List<CodeBlock> blocks = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (BEGIN.matcher(lines.get(i)).matches()) {
                int end = i + lines.subList(i, lines.size()).indexOf("```");
                String place = page.getFileName() + ":" + (i + 1);
                blocks.add(new CodeBlock(place, sourceIn(lines.get(i - 1)), List.copyOf(lines.subList(i + 1, end))));
            }
        }
        return blocks;
    }

    private static String sourceIn(String line) {
        Matcher source = SOURCE.matcher(line);
        return source.matches() ? source.group(1) : "";
    }
}
