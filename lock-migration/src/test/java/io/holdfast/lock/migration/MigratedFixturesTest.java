package io.holdfast.lock.migration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openrewrite.ExecutionContext;
import org.openrewrite.InMemoryExecutionContext;
import org.openrewrite.Recipe;
import org.openrewrite.Result;
import org.openrewrite.SourceFile;
import org.openrewrite.internal.InMemoryLargeSourceSet;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.tree.J;
import org.openrewrite.test.RecipeSpec;

/**
 * What the recipes make of the classes that the pages show as "before" is what is committed as {@code …Migrated}: these classes are
 * compiled, and run on Redis by the tests beside them.
 */
class MigratedFixturesTest {

    private static final Path ROOT = Path.of("src/test/java/io/holdfast/lock/migration");

    @ParameterizedTest
    @CsvSource({
        "FromShedLock, shedlock/ShedLock",
        "FromLock4j, lock4j/Lock4j",
        "FromRedisson, redisson/Redisson",
        "FromSpringIntegration, integration/Registry"
    })
    void recipe_makes_the_committed_class(String recipe, String fixture) throws IOException {
        String name = fixture.substring(fixture.indexOf('/') + 1);
        String before = withoutRegions(Files.readString(ROOT.resolve(fixture + "Before.java")));
        String migrated = run(recipe, before).replace(name + "Before", name + "Migrated");

        Path committed = ROOT.resolve(fixture + "Migrated.java");
        if (Boolean.getBoolean("fixtures.write")) {
            Files.writeString(committed, migrated);
        }
        assertThat(normalized(migrated)).isEqualTo(normalized(Files.readString(committed)));
    }

    private static String run(String recipe, String source) {
        ExecutionContext ctx = new InMemoryExecutionContext();
        List<SourceFile> files = JavaParser.fromJavaVersion()
                .classpath(JavaParser.runtimeClasspath())
                .build()
                .parse(ctx, source)
                .toList();
        Recipe entry = Recipes.use(new RecipeSpec(), recipe).getRecipe();
        return entry.run(new InMemoryLargeSourceSet(files), ctx).getChangeset().getAllResults().stream()
                .map(Result::getAfter)
                .filter(J.CompilationUnit.class::isInstance) // not the properties that are added
                .map(SourceFile::printAll)
                .collect(Collectors.joining());
    }

    private static String withoutRegions(String source) {
        return source.lines()
                .filter(line -> !line.strip().matches("// (region .*|endregion)"))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    /** Without what the formatter of this project changes: white space, the order of imports, the breaks of comments. */
    private static String normalized(String source) {
        String imports = source.lines()
                .filter(line -> line.startsWith("import "))
                .sorted()
                .collect(Collectors.joining());
        String rest = source.lines().filter(line -> !line.startsWith("import ")).collect(Collectors.joining());
        return (imports + rest).replaceAll("\\s|//", "").replace(";", ";\n");
    }
}
