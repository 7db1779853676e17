package io.holdfast.lock.benchmarks.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counts lines of code: all but blank lines, comments, imports and package declarations. */
class CodeLinesTest {

    /** A comment, or what may contain the beginning of one and is none: a text block, a string, a character. */
    private static final Pattern COMMENT = Pattern.compile(
            "(?s)(\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*+\"|'(?:\\\\.|[^'\\\\\n])*+')|/\\*.*?\\*/|//[^\n]*+");

    private static final Pattern HEAD = Pattern.compile("\\s*(import|package)\\s.*");

    @ParameterizedTest
    @ValueSource(strings = {"lock-core", "lock-spring-boot-starter", "lock-spring-boot-test", "lock-testkit"})
    void code_of_a_module_stays_within_its_budget(String module) throws IOException {
        int lines = 0;
        for (Path file : files(Path.of("..", module, "src", "main", "java"))) {
            lines += count(Files.readString(file));
        }

        Budget.check(module + ".code-lines", lines, 0, "code lines of " + module);
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }

    private static int count(String source) {
        String code = COMMENT.matcher(source)
                .replaceAll(
                        found -> found.group(1) == null ? "" : found.group(1).replaceAll("[^\n]+", "text"));
        return Math.toIntExact(code.lines()
                .filter(line -> !line.isBlank() && !HEAD.matcher(line).matches())
                .count());
    }

    @Test
    void only_code_counts() {
        String source = """
                /* A comment
                   of two lines. */
                package a;

                import b.C; // another

                class D {
                    // a comment
                    String e = "/* no comment";
                    char f = '"'; /* comment */ char g = '"';
                    String h = \"""
                            // no comment
                            \""";
                }
                """;

        assertThat(count(source)).isEqualTo(7);
    }
}
