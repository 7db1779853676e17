package io.holdfast.lock.migration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.openrewrite.ExecutionContext;
import org.openrewrite.InMemoryExecutionContext;
import org.openrewrite.Parser;
import org.openrewrite.Recipe;
import org.openrewrite.Result;
import org.openrewrite.SourceFile;
import org.openrewrite.internal.InMemoryLargeSourceSet;
import org.openrewrite.java.tree.J;
import org.openrewrite.test.RecipeSpec;

/**
 * Idioms of each library, after its documentation and tests, in {@code src/test/resources/idioms}: what a recipe makes of one compiles, and
 * has no lock of the library without a comment that gives a reason. Each block there is a class, or the members of one, which has a client
 * or a template; its first line has the name of the class, and what is expected.
 */
class IdiomsTest {

    private static final Path FOLDER = Path.of("src/test/resources/idioms");
    private static final Pattern BLOCK = Pattern.compile("^=== (\\w+) (\\w+)\n", Pattern.MULTILINE);

    enum Library {
        REDISSON(
                "FromRedisson",
                "R(?!emote|ead)\\w*(Lock|Semaphore|Latch)\\w*|\\w*(?i:redisson|client|reactive|rx|map)(\\(\\))?\\.get\\w*(Lock|Semaphore|Latch)\\(",
                "RedissonClient redisson",
                false),
        LOCK4J("FromLock4j", "baomidou", "LockTemplate locks", false),
        SHEDLOCK("FromShedLock", "javacrumbs", "Runnable work", true),
        INTEGRATION("FromSpringIntegration", "RedisLockRegistry\\w*", "Runnable work", true);

        private final String recipe;
        private final Pattern former;
        private final String field;
        private final boolean isAllOrNothing;

        Library(String recipe, String former, String field, boolean isAllOrNothing) {
            this.recipe = recipe;
            this.former = Pattern.compile("\\b(" + former + ")");
            this.field = field;
            this.isAllOrNothing = isAllOrNothing;
        }

        private String file() {
            return lower(name());
        }

        /** What has been done. */
        private String outcome(String migrated) {
            String code = migrated.replaceAll("//.*", "");
            boolean isLeft = former.matcher(code.replaceAll("\"[^\"]*\"", "")).find();
            boolean isChanged = code.contains("io.holdfast.");
            String outcome = isLeft ? isChanged ? "partly" : "left" : "migrated";
            return isLeft && !migrated.contains("// Holdfast: ") ? outcome + " in silence" : outcome;
        }

        /** Runs the recipe on the files together, but alone on each that is left: it may keep all others from being migrated. */
        private Map<String, String> migrated(Map<String, String> sources, Set<String> left) {
            Recipe recipe = Recipes.use(new RecipeSpec(), this.recipe).getRecipe();
            ExecutionContext ctx = new InMemoryExecutionContext(failure -> {
                throw new AssertionError(sources.toString(), failure);
            });
            List<Parser.Input> inputs = sources.entrySet().stream()
                    .map(each -> Parser.Input.fromString(Path.of(each.getKey()), each.getValue()))
                    .toList();
            List<SourceFile> files =
                    Recipes.parser().build().parseInputs(inputs, null, ctx).toList();
            Map<String, String> migrated = new TreeMap<>(sources);
            migrated.putAll(run(
                    recipe,
                    files.stream().filter(file -> !left.contains(path(file))).toList(),
                    ctx));
            files.stream()
                    .filter(file -> left.contains(path(file)))
                    .forEach(file -> migrated.putAll(run(recipe, List.of(file), ctx)));
            return migrated;
        }

        private static Map<String, String> run(Recipe recipe, List<SourceFile> files, ExecutionContext ctx) {
            Map<String, String> changed = new TreeMap<>();
            recipe.run(new InMemoryLargeSourceSet(files), ctx).getChangeset().getAllResults().stream()
                    .map(Result::getAfter)
                    .filter(J.CompilationUnit.class::isInstance) // not the properties that are added
                    .forEach(file -> changed.put(path(file), file.printAll()));
            return changed;
        }

        private static String path(SourceFile file) {
            return file.getSourcePath().toString().replace('\\', '/');
        }
    }

    private record Idiom(String name, String expected, String source) {}

    private static List<Idiom> idioms(Library library) throws IOException {
        String all = Files.readString(FOLDER.resolve(library.file() + ".txt"));
        String imports = all.substring(0, all.indexOf("=== "));
        List<Idiom> found = new ArrayList<>();
        for (String each : all.substring(imports.length()).split("(?m)^(?==== )", -1)) {
            var header = BLOCK.matcher(each);
            assertThat(header.find()).as(each).isTrue();
            String body = each.substring(header.end());
            String name = header.group(1);
            String type = isType(body, name) ? body : type(name, library.field, body);
            String source =
                    "package idioms." + library.file() + "." + lower(name) + ";\n\n" + used(imports, type) + type;
            found.add(new Idiom(name, header.group(2), source));
        }
        return found;
    }

    private static boolean isType(String body, String name) {
        return Pattern.compile("(?m)^(\\w+ )*(class|record|interface) " + name + "\\b")
                .matcher(body)
                .find();
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    /** The imports whose simple names occur in the code that has none. */
    private static String used(String imports, String body) {
        return body.startsWith("import ")
                ? ""
                : imports.lines()
                        .filter(line -> Pattern.compile("\\b" + line.replaceAll(".*\\.(\\w+);", "$1") + "\\b")
                                .matcher(body)
                                .find())
                        .collect(Collectors.joining("\n", "", "\n\n"));
    }

    private static String type(String name, String field, String members) {
        String variable = field.substring(field.indexOf(' ') + 1);
        return "class " + name + " {\n    private final " + field + ";\n\n    " + name + "(" + field
                + ") {\n        this." + variable + " = " + variable + ";\n    }\n\n" + members.indent(4) + "}\n";
    }

    @ParameterizedTest
    @EnumSource
    void idiom_compiles_after_its_migration_or_is_left_with_a_reason(Library library, @TempDir Path folder)
            throws IOException {
        Map<String, String> before = new TreeMap<>();
        Map<String, String> expected = new TreeMap<>();
        Set<String> left = new TreeSet<>();
        for (Idiom each : idioms(library)) {
            String path = lower(each.name) + "/" + each.name + ".java";
            before.put(path, each.source);
            expected.put(each.name, each.expected);
            if (each.expected.equals("left") && library.isAllOrNothing) {
                left.add(path);
            }
        }
        Map<String, String> after = library.migrated(before, left);
        Map<String, String> outcomes = new TreeMap<>();
        after.forEach((path, code) -> outcomes.put(path.replaceAll(".*/|\\.java", ""), library.outcome(code)));

        SoftAssertions softly = new SoftAssertions();
        softly.assertThat(Compiler.errors(before, folder)).isEmpty();
        softly.assertThat(Compiler.errors(after, folder)).isEmpty();
        softly.assertThat(outcomes).containsExactlyInAnyOrderEntriesOf(expected);
        softly.assertAll();
    }
}
