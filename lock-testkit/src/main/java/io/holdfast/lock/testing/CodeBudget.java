package io.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How much code a module may have, and how many classes a call may cross. A figure may differ from its budget by 2%, so that a
 * small change passes. Beyond that the test fails in both directions: a budget that nobody lowers limits nothing.
 */
public final class CodeBudget {

    private static final Path FILE = Path.of("src", "test", "resources", "code-budget.properties");
    private static final String LINES = "code-lines";
    private static final int SLACK_PERCENT = 2;

    /** A comment, or a text block, a string or a character, which may contain what looks like one. */
    private static final Pattern COMMENT = Pattern.compile(
            "(?s)(\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*+\"|'(?:\\\\.|[^'\\\\\n])*+')|/\\*.*?\\*/|//[^\n]*+");

    private static final Pattern HEAD = Pattern.compile("\\s*(import|package)\\s.*");

    private CodeBudget() {}

    /**
     * Compares the lines of the module's main code in Java with {@code code-lines}, except those of packages that have a budget of their
     * own: {@code code-lines.} and the name of the package.
     */
    public static void checkCodeLines() {
        Map<String, Integer> lines = new TreeMap<>();
        budgets().stringPropertyNames().stream()
                .filter(name -> name.equals(LINES) || name.startsWith(LINES + "."))
                .forEach(name -> lines.put(name, 0));
        Path sources = Path.of("src", "main", "java");
        try (Stream<Path> files = Files.walk(sources)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                String own = LINES + "."
                        + sources.relativize(file.getParent()).toString().replace(File.separatorChar, '.');
                lines.merge(lines.containsKey(own) ? own : LINES, codeLines(Files.readString(file)), Integer::sum);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        lines.forEach((name, counted) -> check(name, counted, 0, List.of()));
    }

    /**
     * Compares a number of classes with its budget.
     *
     * @param name the key of the budget
     * @param spread by how much the number differs from run to run; the budget is its maximum
     */
    public static void checkClasses(String name, Collection<String> classes, int spread) {
        check(name, classes.size(), spread, classes);
    }

    private static void check(String name, int counted, int spread, Collection<String> details) {
        String module = Path.of("").toAbsolutePath().getFileName().toString();
        String budget = budgets().getProperty(name);
        assertThat(budget).as("%s in %s/%s", name, module, FILE).isNotNull();
        violation(name, counted, spread, Integer.parseInt(budget)).ifPresent(sentence -> {
            throw new AssertionError(String.format(
                    "%s: %s%nThe budget: %s/%s. The test: ./mvnw -pl %s -am test -Dtest=CodeBudgetTest"
                            + " -Dsurefire.failIfNoSpecifiedTests=false%n%s",
                    module, sentence, module, FILE, module, String.join(System.lineSeparator(), details)));
        });
    }

    private static Properties budgets() {
        Properties budgets = new Properties();
        try (Reader file = Files.newBufferedReader(FILE)) {
            budgets.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return budgets;
    }

    /** {@return why the figure does not fit, with the remedy; empty if it fits} */
    static Optional<String> violation(String name, int counted, int spread, int budget) {
        if (counted * 100L > budget * (100L + SLACK_PERCENT)) {
            return Optional.of(String.format(
                    "%s is %d, more than %d%% above its budget of %d. Simplify the code, or raise the budget, with a"
                            + " line that says what it pays for.",
                    name, counted, SLACK_PERCENT, budget));
        }
        if ((counted + spread) * 100L < budget * (100L - SLACK_PERCENT)) {
            return Optional.of(String.format(
                    "%s is %d, more than %d%% below its budget of %d. Lower the budget to %d, so that the code stays"
                            + " as small.",
                    name, counted, SLACK_PERCENT, budget, counted + spread));
        }
        return Optional.empty();
    }

    /** {@return the number of lines without blank ones, comments, imports and package declarations} */
    static int codeLines(String source) {
        String code = COMMENT.matcher(source)
                .replaceAll(
                        found -> found.group(1) == null ? "" : found.group(1).replaceAll("[^\n]+", "text"));
        return Math.toIntExact(code.lines()
                .filter(line -> !line.isBlank() && !HEAD.matcher(line).matches())
                .count());
    }
}
