package io.holdfast.lock.migration.build;

import static org.openrewrite.groovy.Assertions.groovy;
import static org.openrewrite.java.Assertions.java;
import static org.openrewrite.kotlin.Assertions.kotlin;

import io.holdfast.lock.migration.Recipes;
import org.junit.jupiter.api.Test;
import org.openrewrite.kotlin.KotlinParser;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;
import org.openrewrite.test.TypeValidation;

class GradleDependenciesTest implements RewriteTest {

    private static final String STARTER = "io.holdfast:lock-spring-boot-starter:" + Artifacts.version();

    @Override
    public void defaults(RecipeSpec spec) {
        Recipes.use(spec, "FromShedLock")
                .parser(KotlinParser.builder().isKotlinScript(true))
                .expectedCyclesThatMakeChanges(1);
    }

    private void becomes(String former, String migrated) {
        rewriteRun(groovy(
                "dependencies {\n" + former.indent(4) + "}\n",
                "dependencies {\n" + migrated.formatted(STARTER).indent(4) + "}\n",
                spec -> spec.path("build.gradle")));
    }

    private void stays(String dependencies) {
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(0),
                groovy(dependencies + "\n", spec -> spec.path("build.gradle")));
    }

    @Test
    void dependencies_are_replaced_by_one() {
        becomes("""
                implementation 'net.javacrumbs.shedlock:shedlock-spring:7.10.1'
                implementation "net.javacrumbs.shedlock:shedlock-provider-redis-spring:7.10.1"
                implementation 'org.springframework.boot:spring-boot-starter'
                """, """
                implementation '%s'
                implementation 'org.springframework.boot:spring-boot-starter'
                """);
    }

    @Test
    void version_may_be_missing_or_an_expression() {
        becomes("implementation 'net.javacrumbs.shedlock:shedlock-spring'", "implementation '%s'");
        becomes("implementation \"net.javacrumbs.shedlock:shedlock-spring:$version\"", "implementation \"%s\"");
        becomes("api(\"net.javacrumbs.shedlock:shedlock-spring:${versions.shedlock}\")", "api(\"%s\")");
    }

    @Test
    void parts_may_be_named() {
        becomes(
                "implementation group: 'net.javacrumbs.shedlock', name: 'shedlock-spring', version: '7.10.1'",
                "implementation '%s'");
        becomes("implementation(group: 'net.javacrumbs.shedlock', name: 'shedlock-spring')", "implementation('%s')");
    }

    @Test
    void block_after_a_dependency_goes_with_it() {
        becomes(
                "implementation('net.javacrumbs.shedlock:shedlock-spring:7.10.1') {\n    exclude group: 'org.slf4j'\n}",
                "implementation('%s')");
    }

    @Test
    void configuration_is_the_one_that_most_code_sees() {
        becomes("""
                testImplementation 'net.javacrumbs.shedlock:shedlock-test:7.10.1'
                runtimeOnly 'net.javacrumbs.shedlock:shedlock-provider-redis-spring:7.10.1'
                api 'net.javacrumbs.shedlock:shedlock-spring:7.10.1'
                """, "api '%s'");
        becomes("""
                testImplementation 'net.javacrumbs.shedlock:shedlock-test:7.10.1'
                runtimeOnly 'net.javacrumbs.shedlock:shedlock-provider-redis-spring:7.10.1'
                """, "runtimeOnly '%s'");
    }

    @Test
    void starter_that_is_there_is_not_added_again() {
        becomes(
                "implementation '" + STARTER + "'\nimplementation 'net.javacrumbs.shedlock:shedlock-spring:7.10.1'",
                "implementation '%s'");
    }

    @Test
    void managed_versions_and_build_scripts_are_left() {
        stays("dependencies {\n    implementation platform('net.javacrumbs.shedlock:shedlock-bom:7.10.1')\n}");
        stays(
                "dependencies {\n    constraints {\n        implementation 'net.javacrumbs.shedlock:shedlock-spring:7.10.1'\n    }\n}");
        stays(
                "dependencyManagement {\n    imports {\n        mavenBom 'net.javacrumbs.shedlock:shedlock-bom:7.10.1'\n    }\n}");
        stays(
                "dependencyManagement {\n    dependencies {\n        dependency 'net.javacrumbs.shedlock:shedlock-spring:7.10.1'\n    }\n}");
        stays(
                "buildscript {\n    dependencies {\n        classpath 'net.javacrumbs.shedlock:shedlock-spring:7.10.1'\n    }\n}");
        stays("dependencies {\n    implementation libs.shedlock\n}");
    }

    @Test
    void dependencies_stay_below_the_new_one_while_code_uses_them() {
        String shedLock = """
                    testImplementation 'net.javacrumbs.shedlock:shedlock-test:7.10.1'
                    implementation 'net.javacrumbs.shedlock:shedlock-spring:7.10.1'
                """;
        String note =
                "    // Holdfast: this still uses ShedLock, and does not exclude what Holdfast locks; see docs/migration/shedlock.md#without-annotations\n";
        String left = "class Left {\n%s    net.javacrumbs.shedlock.core.LockProvider provider;\n}\n";
        String job = """
                class Jobs {
                    @io.holdfast.lock.spring.annotation.DistributedLock
                    void run() {}
                }
                """;
        String annotation = "package io.holdfast.lock.spring.annotation;\n\npublic @interface DistributedLock {}\n";
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(1),
                java(left.formatted(""), left.formatted(note), spec -> spec.path("src/main/java/Left.java")),
                java(annotation, spec -> spec.path("other/DistributedLock.java")),
                java(job, spec -> spec.path("src/main/java/Jobs.java")),
                groovy(
                        "dependencies {\n" + shedLock + "}\n",
                        "dependencies {\n"
                                + shedLock.replace(
                                        "    implementation",
                                        "    implementation '" + STARTER + "'\n    implementation")
                                + "}\n",
                        spec -> spec.path("build.gradle")));
    }

    @Test
    void files_in_kotlin_are_like_those_in_groovy() {
        rewriteRun(
                spec -> spec.typeValidationOptions(TypeValidation.none()),
                kotlin("""
                        val shedlock = "7.10.1"

                        dependencies {
                            testImplementation("net.javacrumbs.shedlock:shedlock-test:$shedlock")
                            implementation(platform("net.javacrumbs.shedlock:shedlock-bom:7.10.1"))
                            implementation(group = "net.javacrumbs.shedlock", name = "shedlock-core", version = "7.10.1")
                            implementation("net.javacrumbs.shedlock:shedlock-spring:$shedlock") {
                                exclude(group = "org.slf4j")
                            }
                            implementation("org.springframework.boot:spring-boot-starter")
                        }
                        """, """
                        val shedlock = "7.10.1"

                        dependencies {
                            implementation(platform("net.javacrumbs.shedlock:shedlock-bom:7.10.1"))
                            implementation("%s")
                            implementation("org.springframework.boot:spring-boot-starter")
                        }
                        """.formatted(STARTER), spec -> spec.path("build.gradle.kts")));
    }
}
