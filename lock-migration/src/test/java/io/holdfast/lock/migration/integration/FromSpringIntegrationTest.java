package io.holdfast.lock.migration.integration;

import static org.openrewrite.groovy.Assertions.groovy;
import static org.openrewrite.java.Assertions.java;
import static org.openrewrite.xml.Assertions.xml;

import io.holdfast.lock.migration.Recipes;
import io.holdfast.lock.migration.build.ReplaceDependency;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;

class FromSpringIntegrationTest implements RewriteTest {

    private static final String LEFT =
            "// Holdfast: this still uses Spring Integration's registry, and does not exclude what Holdfast locks; see docs/migration/spring-integration.md#the-bean\n";
    private static final String RENEWED =
            "// Holdfast: a lock is renewed while it is held; previously it expired after its time to live; see docs/migration/spring-integration.md#the-bean\n";
    private static final String USER = """
            import org.springframework.integration.redis.util.RedisLockRegistry;

            class User {
                private final RedisLockRegistry registry;

                User(RedisLockRegistry registry) {
                    this.registry = registry;
                }

                void run() {
                    registry.obtain("a").lock();
                }
            }
            """;

    @Override
    public void defaults(RecipeSpec spec) {
        Recipes.use(spec, "FromSpringIntegration");
    }

    private static String bean(String result, String body) {
        return """
                import java.time.Duration;
                import org.springframework.context.annotation.Bean;
                import org.springframework.data.redis.connection.RedisConnectionFactory;
                import org.springframework.integration.redis.util.RedisLockRegistry;
                import org.springframework.integration.support.locks.LockRegistry;

                class Locks {
                    private static final Duration TIME = Duration.ofSeconds(20);

                    @Bean
                    %s locks(RedisConnectionFactory redis, String name) {
                %s    }
                }
                """.formatted(result, body.indent(8));
    }

    private static String migrated(String result, String body) {
        return """
                import java.time.Duration;

                import io.holdfast.lock.api.LockTemplate;
                import io.holdfast.lock.spring.integration.HoldfastLockRegistry;
                import org.springframework.context.annotation.Bean;
                import org.springframework.integration.support.locks.LockRegistry;

                class Locks {
                    private static final Duration TIME = Duration.ofSeconds(20);

                    %s    @Bean
                    %s locks(LockTemplate lockTemplate, String name) {
                %s    }
                }
                """.formatted(RENEWED, result, body.indent(8));
    }

    @Test
    void bean_of_the_interface_is_replaced() {
        rewriteRun(java(
                bean("LockRegistry<?>", "return new RedisLockRegistry(redis, name, TIME);\n"),
                migrated("LockRegistry<?>", "return new HoldfastLockRegistry(lockTemplate, name, TIME);\n")));
    }

    @Test
    void bean_and_uses_of_the_class_are_replaced() {
        rewriteRun(
                java(
                        bean("RedisLockRegistry", "return new RedisLockRegistry(redis, name, 20000L);\n"),
                        migrated(
                                "HoldfastLockRegistry",
                                "return new HoldfastLockRegistry(lockTemplate, name, Duration.ofMillis(20000L));\n")),
                java(
                        USER,
                        USER.replace(
                                        "org.springframework.integration.redis.util.RedisLockRegistry",
                                        "io.holdfast.lock.spring.integration.HoldfastLockRegistry")
                                .replace("RedisLockRegistry", "HoldfastLockRegistry")));
    }

    /** Spring requires the method that is named. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    @Bean(destroyMethod = "destroy") | @Bean
                    @Bean(name = "locks", destroyMethod = "destroy") | @Bean(name = "locks")
                    @Bean(destroyMethod = "", name = "locks") | @Bean(name = "locks")
                    @Bean("locks") | @Bean("locks")
                    """)
    void bean_without_its_destroy_method(String former, String left) {
        rewriteRun(java(
                bean("RedisLockRegistry", "return new RedisLockRegistry(redis, name);\n")
                        .replace("@Bean", former),
                migrated("HoldfastLockRegistry", "return new HoldfastLockRegistry(lockTemplate, name);\n")
                        .replace("@Bean", left)));
    }

    @Test
    void what_the_removed_dependency_has_brought_along_is_declared_where_code_uses_it() {
        String version = "      <version>7.1.0</version>\n";
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(2),
                java(
                        bean("RedisLockRegistry", "return new RedisLockRegistry(redis, name);\n"),
                        migrated("HoldfastLockRegistry", "return new HoldfastLockRegistry(lockTemplate, name);\n")),
                java("""
                        class Template {
                            org.springframework.data.redis.core.StringRedisTemplate redis;
                        }
                        """),
                xml(
                        pom(dependency("org.springframework.integration", "spring-integration-redis", version)),
                        pom(starter()
                                + dependency("org.springframework.integration", "spring-integration-core", version)
                                + dependency("org.springframework.data", "spring-data-redis", "")),
                        spec -> spec.path("pom.xml")));
    }

    @Test
    void what_another_dependency_brings_along_is_not_declared() {
        String others = dependency("org.springframework.boot", "spring-boot-starter-integration", "")
                + dependency("org.springframework.boot", "spring-boot-starter-data-redis", "");
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(2),
                java(
                        bean("RedisLockRegistry", "return new RedisLockRegistry(redis, name);\n"),
                        migrated("HoldfastLockRegistry", "return new HoldfastLockRegistry(lockTemplate, name);\n")),
                java("""
                        class Template {
                            org.springframework.data.redis.core.StringRedisTemplate redis;
                        }
                        """),
                xml(
                        pom(dependency("org.springframework.integration", "spring-integration-redis", "") + others),
                        pom(starter() + others),
                        spec -> spec.path("pom.xml")));
    }

    @Test
    void what_the_removed_dependency_has_brought_along_is_declared_in_gradle() {
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(2),
                java(
                        bean("RedisLockRegistry", "return new RedisLockRegistry(redis, name);\n"),
                        migrated("HoldfastLockRegistry", "return new HoldfastLockRegistry(lockTemplate, name);\n")),
                groovy("""
                        dependencies {
                            implementation 'org.springframework.integration:spring-integration-redis:7.1.0'
                            implementation 'org.example:other:1'
                        }
                        """, """
                        dependencies {
                            implementation 'io.holdfast:lock-spring-boot-starter:%s'
                            implementation 'org.springframework.integration:spring-integration-core:7.1.0'
                            implementation 'org.example:other:1'
                        }
                        """.formatted(version()), spec -> spec.path("build.gradle")));
    }

    private static String pom(String dependencies) {
        return "<project>\n  <dependencies>\n" + dependencies + "  </dependencies>\n</project>\n";
    }

    private static String dependency(String group, String artifact, String version) {
        return "    <dependency>\n      <groupId>" + group + "</groupId>\n      <artifactId>" + artifact
                + "</artifactId>\n" + version + "    </dependency>\n";
    }

    private static String starter() {
        return dependency("io.holdfast", "lock-spring-boot-starter", "      <version>" + version() + "</version>\n");
    }

    private static String version() {
        try (InputStream text = ReplaceDependency.class.getResourceAsStream("version.txt")) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void settings_are_removed_and_the_default_time_is_that_of_holdfast() {
        rewriteRun(java(bean("RedisLockRegistry", """
                        RedisLockRegistry registry = new RedisLockRegistry(redis, name);
                        registry.setCacheCapacity(10);
                        System.out.println(name);
                        return registry;
                        """), migrated("HoldfastLockRegistry", """
                        HoldfastLockRegistry registry = new HoldfastLockRegistry(lockTemplate, name);
                        System.out.println(name);
                        return registry;
                        """)));
    }

    @Test
    void registry_that_is_made_elsewhere_keeps_all_where_they_are() {
        String other = """
                import org.springframework.data.redis.connection.RedisConnectionFactory;
                import org.springframework.integration.redis.util.RedisLockRegistry;

                class Other {
                    Object other(RedisConnectionFactory redis) {
                        return new RedisLockRegistry(redis, "a");
                    }
                }
                """;
        rewriteRun(
                java(other, other.replace("        return", "        " + LEFT + "        return")),
                java(USER, USER.replace("    private", "    " + LEFT + "    private")));
    }

    @Test
    void bean_in_xml_is_marked_and_keeps_all_where_they_are() {
        String beans = """
                <beans xmlns="http://www.springframework.org/schema/beans">

                  %s<bean id="locks" class="org.springframework.integration.redis.util.RedisLockRegistry">
                    <constructor-arg ref="redis"/>
                    <constructor-arg value="shop"/>
                  </bean>
                  <bean id="other" class="java.lang.Object"/>
                </beans>
                """;
        String note =
                "<!-- Holdfast: this still uses Spring Integration's registry; see docs/migration/spring-integration.md#the-bean -->\n  ";
        rewriteRun(
                xml(beans.formatted(""), beans.formatted(note)),
                java(USER, USER.replace("    private", "    " + LEFT + "    private")));
        rewriteRun(xml(beans.formatted(note)));
    }

    @Test
    void dependency_stays_where_xml_uses_the_library() {
        String pom = """
                <project>
                  <dependencies>
                    <dependency>
                      <groupId>org.springframework.integration</groupId>
                      <artifactId>spring-integration-redis</artifactId>
                    </dependency>
                  </dependencies>
                </project>
                """;
        rewriteRun(
                xml(pom, spec -> spec.path("pom.xml")),
                xml(
                        "<beans xmlns:redis=\"http://www.springframework.org/schema/integration/redis\"/>\n",
                        spec -> spec.path("src/main/resources/context.xml")));
    }

    @Test
    void use_without_a_counterpart_keeps_all_where_they_are() {
        String destroyed = USER.replace("registry.obtain(\"a\").lock();", "registry.destroy();");
        rewriteRun(java(destroyed, destroyed.replace("    private", "    " + LEFT + "    private")));
    }
}
