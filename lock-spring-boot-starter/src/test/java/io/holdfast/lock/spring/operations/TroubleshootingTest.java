package io.holdfast.lock.spring.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every line at WARN or ERROR, and every exception, is explained in docs/troubleshooting.md. */
class TroubleshootingTest {

    private static final Path PAGE = Path.of("..", "docs", "troubleshooting.md");
    private static final List<Path> SOURCES =
            List.of(Path.of("..", "lock-core", "src", "main"), Path.of("src", "main"));

    /** The text of a call, of one literal or several that are joined; a line without one, such as {@code "{}."}, has no words. */
    private static final Pattern LINE =
            Pattern.compile("log\\.(?:warn|error)\\(\\s*((?:\"(?:[^\"\\\\]|\\\\.)*\"\\s*\\+?\\s*)+)");

    private static final Pattern ANY_LINE =
            Pattern.compile("log\\.\\w+\\(\\s*((?:\"(?:[^\"\\\\]|\\\\.)*\"\\s*\\+?\\s*)+)");

    private static final Pattern ALL = Pattern.compile("(?s)(.*)");

    private static final Pattern QUOTE = Pattern.compile("(?<=[ (])\\*([^ *|][^*|]*[^ *|])\\*(?!\\*)");

    private static final Pattern EXCEPTION = Pattern.compile("class (Lock\\w*Exception|InvalidLock\\w*Exception) ");
    private static final int ENOUGH_LETTERS = 15;

    @Test
    void every_warning_and_error_that_is_logged_is_explained() throws IOException {
        String page = Files.readString(PAGE).replaceAll("\\s+", " ");
        List<String> lines = found(LINE);

        assertThat(lines).hasSizeGreaterThan(30);
        assertThat(lines.stream().flatMap(TroubleshootingTest::firstPhrase).filter(phrase -> !page.contains(phrase)))
                .isEmpty();
    }

    @Test
    void every_exception_is_explained() throws IOException {
        String page = Files.readString(PAGE);
        List<String> exceptions = found(EXCEPTION);

        assertThat(exceptions).hasSizeGreaterThan(5);
        assertThat(exceptions)
                .filteredOn(type -> !page.contains('`' + type + '`'))
                .isEmpty();
    }

    /** What a reader looks for in the log after the first start must be what the log says. */
    @Test
    void lines_that_the_first_page_quotes_are_logged() throws IOException {
        String page =
                Files.readString(PAGE.resolveSibling("getting-started.md")).replaceAll("\\s+", " ");
        List<String> quotes = QUOTE.matcher(page)
                .results()
                .map(match -> match.group(1))
                .filter(quote -> quote.split(" ", -1).length > 3 && Character.isUpperCase(quote.charAt(0)))
                .toList();
        List<String> lines = beginnings();

        assertThat(quotes).hasSize(2);
        assertThat(quotes)
                .filteredOn(quote -> lines.stream().noneMatch(line -> quote.startsWith(line) || line.startsWith(quote)))
                .isEmpty();
    }

    /** A page of messages that are no longer logged or thrown is as wrong as one that lacks some. */
    @Test
    void messages_that_the_page_lists_are_logged_or_thrown() throws IOException {
        String sources = literals();
        List<String> beginnings = beginnings();
        List<String> quotes = Files.readAllLines(PAGE).stream()
                .filter(row -> row.startsWith("| "))
                .flatMap(row -> QUOTE.matcher(row.split(" \\| ", 2)[0]).results())
                .map(match -> match.group(1))
                .toList();

        assertThat(quotes).hasSizeGreaterThan(60);
        assertThat(quotes)
                .filteredOn(quote -> beginnings.stream().noneMatch(quote::startsWith))
                .filteredOn(quote -> Arrays.stream(quote.split("…|'|\\d+|[:;(]"))
                        .map(String::strip)
                        .filter(phrase -> phrase.length() >= ENOUGH_LETTERS)
                        .noneMatch(sources::contains))
                .isEmpty();
    }

    /** What is logged, up to the first value in it. */
    private static List<String> beginnings() throws IOException {
        return found(ANY_LINE).stream()
                .map(line ->
                        line.replaceAll("\"\\s*\\+\\s*\"", "").replace("\"", "").strip())
                .map(line -> line.split("\\{}", 2)[0])
                .filter(line -> line.length() >= ENOUGH_LETTERS)
                .toList();
    }

    private static String literals() throws IOException {
        return String.join("", found(ALL)).replaceAll("\"\\s*\\+\\s*\"", "");
    }

    /** The first words that are the same in every such line, and enough of them to be searched for: the page has them as well. */
    private static Stream<String> firstPhrase(String literals) {
        String text = literals.replaceAll("\"\\s*\\+\\s*\"", "").replace("\"", "");
        return Arrays.stream(text.split("\\{}|[.:;,'\\[()]"))
                .map(String::strip)
                .filter(phrase -> phrase.length() >= ENOUGH_LETTERS)
                .limit(1);
    }

    private static List<String> found(Pattern pattern) throws IOException {
        List<String> all = new ArrayList<>();
        for (Path sources : SOURCES) {
            try (Stream<Path> files = Files.walk(sources)) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(file -> {
                    Matcher matcher = pattern.matcher(read(file));
                    while (matcher.find()) {
                        all.add(matcher.group(1));
                    }
                });
            }
        }
        return all;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
