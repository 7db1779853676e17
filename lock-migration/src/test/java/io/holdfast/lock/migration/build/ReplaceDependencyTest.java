package io.holdfast.lock.migration.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.openrewrite.groovy.Assertions.groovy;
import static org.openrewrite.java.Assertions.java;
import static org.openrewrite.xml.Assertions.xml;

import io.holdfast.lock.migration.Recipes;
import io.holdfast.lock.migration.integration.MigrateRegistry;
import io.holdfast.lock.migration.lock4j.MigrateLock4j;
import io.holdfast.lock.migration.lock4j.MigrateLockTemplate;
import io.holdfast.lock.migration.redisson.MigrateLocks;
import io.holdfast.lock.migration.shedlock.MigrateLockExtender;
import io.holdfast.lock.migration.shedlock.MigrateSchedulerLock;
import io.holdfast.lock.migration.shedlock.RemoveConfiguration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openrewrite.Recipe;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;
import org.openrewrite.test.SourceSpecs;

class ReplaceDependencyTest implements RewriteTest {

    private static final String SHEDLOCK = """
                <dependency>
                  <groupId>net.javacrumbs.shedlock</groupId>
                  <artifactId>shedlock-spring</artifactId>
                  <version>7.10.1</version>
                </dependency>
                <dependency>
                  <groupId>net.javacrumbs.shedlock</groupId>
                  <artifactId>shedlock-provider-redis-spring</artifactId>
                  <version>7.10.1</version>
                </dependency>
            """;
    private static final String HOLDFAST = """
                <dependency>
                  <groupId>io.holdfast</groupId>
                  <artifactId>lock-spring-boot-starter</artifactId>
                  <version>%s</version>
                </dependency>
            """.formatted(Artifacts.version());
    private static final String JOB = """
            import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

            class Jobs {
                @SchedulerLock(name = "report")
                void run() {}
            }
            """;
    private static final String MIGRATED_JOB = """
            import io.holdfast.lock.spring.annotation.DistributedLock;
            import io.holdfast.lock.spring.annotation.OnContention;

            class Jobs {
                @DistributedLock(name = "report", waitFor = 0, onContention = OnContention.SKIP)
                void run() {}
            }
            """;

    @Override
    public void defaults(RecipeSpec spec) {
        Recipes.use(spec, "FromShedLock").expectedCyclesThatMakeChanges(2);
    }

    private static String pom(String dependencies) {
        return "<project>\n  <dependencies>\n" + dependencies + "  </dependencies>\n</project>\n";
    }

    private static SourceSpecs job(String folder) {
        return java(JOB, MIGRATED_JOB, spec -> spec.path(folder + "src/main/java/Jobs.java"));
    }

    @Test
    void dependencies_are_replaced_once_no_code_uses_them() {
        rewriteRun(job(""), xml(pom(SHEDLOCK), pom(HOLDFAST), spec -> spec.path("pom.xml")));
    }

    @Test
    void dependencies_of_a_module_are_replaced_without_those_of_others() {
        String other = JOB.replace("void run", "int run").replace("Jobs", "Others");
        rewriteRun(
                job("jobs/"),
                xml(pom(SHEDLOCK), pom(HOLDFAST), spec -> spec.path("jobs/pom.xml")),
                xml("<project>\n  <modules/>\n</project>\n", spec -> spec.path("pom.xml")),
                xml("<dependencies>\n" + SHEDLOCK + "</dependencies>\n", spec -> spec.path("jobs/src/pom-like.xml")));
    }

    @Test
    void dependencies_stay_beside_the_new_one_while_code_uses_them() {
        String provider =
                "import net.javacrumbs.shedlock.core.LockProvider;\n\nclass Left {\n%s    LockProvider provider;\n}\n";
        String note =
                "    // Holdfast: this still uses ShedLock, and does not exclude what Holdfast locks; see docs/migration/shedlock.md#without-annotations\n";
        String first = SHEDLOCK.substring(0, SHEDLOCK.indexOf("</dependency>") + "</dependency>\n".length());
        rewriteRun(
                job(""),
                java(provider.formatted(""), provider.formatted(note), spec -> spec.path("src/main/java/Left.java")),
                xml(
                        pom(SHEDLOCK),
                        pom(first + HOLDFAST + SHEDLOCK.substring(first.length())),
                        spec -> spec.path("pom.xml")));
    }

    @Test
    void dependencies_that_another_module_takes_over_stay_while_its_code_uses_them() {
        String first = SHEDLOCK.substring(0, SHEDLOCK.indexOf("</dependency>") + "</dependency>\n".length());
        String left = """
                class Left {
                %s    net.javacrumbs.shedlock.core.LockProvider provider;
                }
                """;
        String note =
                "    // Holdfast: this still uses ShedLock, and does not exclude what Holdfast locks; see docs/migration/shedlock.md#without-annotations\n";
        rewriteRun(
                job("jobs/"),
                xml(
                        pom(SHEDLOCK),
                        pom(first + HOLDFAST + SHEDLOCK.substring(first.length())),
                        spec -> spec.path("jobs/pom.xml")),
                java(left.formatted(""), left.formatted(note), spec -> spec.path("shop/src/main/java/Left.java")),
                xml("<project/>\n", spec -> spec.path("shop/pom.xml")));
    }

    @Test
    void dependencies_that_another_module_declares_itself_go() {
        String left = """
                class Left {
                %s    net.javacrumbs.shedlock.core.LockProvider provider;
                }
                """;
        String note =
                "    // Holdfast: this still uses ShedLock, and does not exclude what Holdfast locks; see docs/migration/shedlock.md#without-annotations\n";
        rewriteRun(
                job("jobs/"),
                xml(pom(SHEDLOCK), pom(HOLDFAST), spec -> spec.path("jobs/pom.xml")),
                java(left.formatted(""), left.formatted(note), spec -> spec.path("shop/src/main/java/Left.java")),
                xml(pom(SHEDLOCK), spec -> spec.path("shop/pom.xml")),
                java(
                        left.formatted("").replace("Left", "Other"),
                        left.formatted(note).replace("Left", "Other"),
                        spec -> spec.path("web/src/main/java/Other.java")),
                groovy(
                        "dependencies {\n    implementation 'net.javacrumbs.shedlock:shedlock-core:7.10.1'\n}\n",
                        spec -> spec.path("web/build.gradle")));
    }

    @Test
    void dependency_of_tests_is_one_of_tests() {
        String test = "      <scope>test</scope>\n    </dependency>";
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(1),
                xml(
                        pom(SHEDLOCK.replace("    </dependency>", test)),
                        pom(HOLDFAST.replace("    </dependency>", test)),
                        spec -> spec.path("pom.xml")));
    }

    @Test
    void project_that_has_the_starter_gets_no_second_one() {
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(1),
                xml(pom(SHEDLOCK + HOLDFAST), pom(HOLDFAST), spec -> spec.path("pom.xml")));
    }

    @Test
    void project_that_needs_both_and_has_them_is_left() {
        String left = """
                class Left {
                    // Holdfast: this still uses ShedLock, and does not exclude what Holdfast locks; see docs/migration/shedlock.md#without-annotations
                    net.javacrumbs.shedlock.core.LockProvider provider;
                    io.holdfast.lock.api.LockTemplate template;
                }
                """;
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(0)
                        .recipe(new ReplaceDependency(
                                List.of("net.javacrumbs.shedlock:*"), List.of("net.javacrumbs.shedlock."), null, null)),
                java("package io.holdfast.lock.api;\n\npublic class LockTemplate {}\n"),
                java(left),
                xml(pom(SHEDLOCK + HOLDFAST), spec -> spec.path("pom.xml")));
    }

    @Test
    void blank_lines_between_dependencies_stay_between_them() {
        String spaced = SHEDLOCK.replace("\n    <dependency>", "\n\n    <dependency>");
        rewriteRun(job(""), xml(pom("\n" + spaced), pom("\n" + HOLDFAST), spec -> spec.path("pom.xml")));
    }

    @Test
    void managed_dependencies_and_other_projects_are_left() {
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(0),
                xml(pom(SHEDLOCK).replace("dependencies>", "other>"), spec -> spec.path("pom.xml")),
                xml(pom(""), spec -> spec.path("other/pom.xml")));
    }

    /** Otherwise build tools run no second cycle, in which dependencies are replaced. */
    @Test
    void recipes_that_change_code_ask_for_another_cycle() {
        assertThat(List.of(
                        new MigrateSchedulerLock(),
                        new MigrateLockExtender(),
                        new RemoveConfiguration(),
                        new MigrateLock4j(),
                        new MigrateLockTemplate(),
                        new MigrateLocks(),
                        new MigrateRegistry()))
                .allMatch(Recipe::causesAnotherCycle);
    }
}
