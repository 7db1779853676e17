package io.holdfast.lock.migration.shedlock;

import static org.openrewrite.java.Assertions.java;

import io.holdfast.lock.migration.Recipes;
import org.junit.jupiter.api.Test;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;

class FromShedLockTest implements RewriteTest {

    @Override
    public void defaults(RecipeSpec spec) {
        Recipes.use(spec, "FromShedLock");
    }

    private static String job(String annotation) {
        return """
                import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

                class Jobs {
                    %s
                    void run(String branch) {}
                }
                """.formatted(annotation);
    }

    private static String migrated(String annotation) {
        return """
                import io.holdfast.lock.spring.annotation.DistributedLock;
                import io.holdfast.lock.spring.annotation.OnContention;

                class Jobs {
                    %s
                    void run(String branch) {}
                }
                """.formatted(annotation);
    }

    private void becomes(String former, String migrated) {
        rewriteRun(java(
                job("@SchedulerLock(" + former + ")"),
                migrated("@DistributedLock(" + migrated + ", waitFor = 0, onContention = OnContention.SKIP)")));
    }

    @Test
    void job_is_skipped_and_keeps_its_times() {
        becomes(
                "name = \"report\", lockAtMostFor = \"30m\", lockAtLeastFor = \"${least}\"",
                "name = \"report\", minHoldString = \"${least}\", maxHoldString = \"30m\"");
    }

    @Test
    void number_without_a_unit_is_in_milliseconds() {
        becomes(
                "name = \"report\", lockAtMostFor = \"30000\", lockAtLeastFor = \"\"",
                "name = \"report\", maxHoldString = \"30000ms\"");
    }

    @Test
    void expression_at_the_end_is_the_key() {
        becomes("name = \"sync-#{#branch}\"", "name = \"sync\", key = \"#branch\"");
    }

    @Test
    void other_expressions_and_colons_are_keys_alone() {
        becomes("name = \"#{#branch}:it's-#{#id + 1}!\"", "key = \"'' + (#branch) + ':it''s-' + (#id + 1) + '!'\"");
        becomes("name = \"a:b\"", "key = \"'a:b'\"");
    }

    @Test
    void constant_of_the_same_class_stays_a_constant_unless_it_has_expressions() {
        rewriteRun(java("""
                import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

                class Jobs {
                    static final String NAME = "report";
                    static final String EACH = "sync-#{#branch}";

                    @SchedulerLock(name = NAME)
                    void report() {}

                    @SchedulerLock(name = Jobs.EACH)
                    void sync(String branch) {}
                }
                """, """
                import io.holdfast.lock.spring.annotation.DistributedLock;
                import io.holdfast.lock.spring.annotation.OnContention;

                class Jobs {
                    static final String NAME = "report";
                    static final String EACH = "sync-#{#branch}";

                    @DistributedLock(name = NAME, waitFor = 0, onContention = OnContention.SKIP)
                    void report() {}

                    @DistributedLock(name = "sync", key = "#branch", waitFor = 0, onContention = OnContention.SKIP)
                    void sync(String branch) {}
                }
                """));
    }

    @Test
    void constant_of_another_class_is_taken_and_marked() {
        rewriteRun(java("class Names {\n    static final String REPORT = \"report\";\n}\n"), java("""
                        import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

                        class Jobs {
                            @SchedulerLock(name = Names.REPORT)
                            void report() {}
                        }
                        """, """
                        import io.holdfast.lock.spring.annotation.DistributedLock;
                        import io.holdfast.lock.spring.annotation.OnContention;

                        class Jobs {
                            // Holdfast: the name must not contain a colon, or an expression #{…}; see docs/migration/shedlock.md#names-with-parameters
                            @DistributedLock(name = Names.REPORT, waitFor = 0, onContention = OnContention.SKIP)
                            void report() {}
                        }
                        """));
    }

    @Test
    void primitive_result_is_marked() {
        rewriteRun(java(
                job("@SchedulerLock(name = \"report\")")
                        .replace("void run(String branch) {}", "int run() {\n        return 1;\n    }"),
                migrated(
                                "// Holdfast: a method with a primitive result cannot be skipped, and causes startup to fail; see docs/migration/shedlock.md#what-else-is-different\n"
                                        + "    @DistributedLock(name = \"report\", waitFor = 0, onContention = OnContention.SKIP)")
                        .replace("void run(String branch) {}", "int run() {\n        return 1;\n    }")));
    }

    @Test
    void composed_annotation_is_left_and_marked() {
        rewriteRun(java("""
                import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

                @SchedulerLock(name = "report")
                @interface OnOneNode {}
                """, """
                import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

                // Holdfast: a composed annotation is not migrated, so its methods are not locked by Holdfast; see docs/migration/shedlock.md#a-job
                @SchedulerLock(name = "report")
                @interface OnOneNode {}
                """));
    }

    @Test
    void annotation_of_the_same_name_is_none() {
        rewriteRun(java("""
                @interface SchedulerLock {
                    String name();
                }

                class Jobs {
                    @SchedulerLock(name = "report")
                    void run() {}
                }
                """));
    }

    @Test
    void extension_becomes_one_of_the_handle() {
        rewriteRun(java("""
                import static java.time.Duration.ZERO;

                import java.time.Duration;
                import net.javacrumbs.shedlock.core.LockExtender;
                import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

                class Jobs {
                    @SchedulerLock(name = "a", lockAtMostFor = "5m")
                    void run() {
                        LockExtender.extendActiveLock(Duration.ofMinutes(5), ZERO);
                        LockExtender.extendActiveLock(Duration.ofMinutes(5), Duration.ofMinutes(1));
                    }

                    void more() {
                        LockExtender.extendActiveLock(Duration.ofMinutes(5), Duration.ZERO);
                    }
                }
                """, """
                import java.time.Duration;

                import io.holdfast.lock.spring.annotation.DistributedLock;
                import io.holdfast.lock.spring.annotation.LockContext;
                import io.holdfast.lock.spring.annotation.OnContention;
                import net.javacrumbs.shedlock.core.LockExtender;

                class Jobs {
                    @DistributedLock(name = "a", leaseString = "5m", renew = false, waitFor = 0, onContention = OnContention.SKIP)
                    void run() {
                        LockContext.current().orElseThrow().extend(Duration.ofMinutes(5));
                        // Holdfast: the minimum of an extension is not migrated; minHold of the annotation keeps others out; see docs/migration/shedlock.md#lockassert-lockextender
                        LockExtender.extendActiveLock(Duration.ofMinutes(5), Duration.ofMinutes(1));
                    }

                    void more() {
                        // Holdfast: the lock that this extends must have a lease that is not renewed, and no maxHold; see docs/migration/shedlock.md#lockassert-lockextender
                        LockContext.current().orElseThrow().extend(Duration.ofMinutes(5));
                    }
                }
                """));
    }

    @Test
    void static_imports_follow() {
        rewriteRun(java("""
                import static java.time.Duration.ZERO;
                import static java.time.Duration.ofMinutes;
                import static net.javacrumbs.shedlock.core.LockAssert.assertLocked;
                import static net.javacrumbs.shedlock.core.LockExtender.extendActiveLock;

                import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

                class Jobs {
                    @SchedulerLock(name = "a", lockAtMostFor = "5m")
                    void run() {
                        assertLocked();
                        extendActiveLock(ofMinutes(5), ZERO);
                    }
                }
                """, """
                import static java.time.Duration.ofMinutes;
                import static io.holdfast.lock.spring.annotation.LockAssert.assertLocked;

                import io.holdfast.lock.spring.annotation.DistributedLock;
                import io.holdfast.lock.spring.annotation.LockContext;
                import io.holdfast.lock.spring.annotation.OnContention;

                class Jobs {
                    @DistributedLock(name = "a", leaseString = "5m", renew = false, waitFor = 0, onContention = OnContention.SKIP)
                    void run() {
                        assertLocked();
                        LockContext.current().orElseThrow().extend(ofMinutes(5));
                    }
                }
                """));
    }

    private static String configuration(String annotations, String members) {
        return """
                import javax.sql.DataSource;
                import net.javacrumbs.shedlock.core.LockProvider;
                import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
                import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
                import org.springframework.context.annotation.Bean;
                import org.springframework.data.redis.connection.RedisConnectionFactory;

                %s
                class Configuration {
                    String other;
                %s}
                """.formatted(annotations, members);
    }

    private static final String PROVIDER = """

                @Bean
                LockProvider lockProvider(RedisConnectionFactory redis) {
                    return new RedisLockProvider(redis%s);
                }
            """;

    @Test
    void configuration_is_removed_and_its_settings_are_named() {
        rewriteRun(java(
                configuration(
                        "@EnableSchedulerLock(defaultLockAtMostFor = \"10m\", defaultLockAtLeastFor = \"1m\")",
                        PROVIDER.formatted(", \"shop\"")),
                """
                import javax.sql.DataSource;

                // Holdfast: holdfast.lease, which is renewed, replaces defaultLockAtMostFor = 10m; see docs/migration/shedlock.md#configuration
                // Holdfast: set holdfast.scheduled.min-hold, which replaces defaultLockAtLeastFor = 1m; see docs/migration/shedlock.md#a-job
                // Holdfast: holdfast.redis.key-prefix replaces the environment of the provider, shop; see docs/migration/shedlock.md#configuration
                class Configuration {
                    String other;
                }
                """));
    }

    @Test
    void provider_that_code_uses_is_left_and_marked() {
        String former = configuration("", PROVIDER.formatted(""));
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(1),
                java(
                        former,
                        former.replace(
                                "    @Bean",
                                "    // Holdfast: this provider is kept, because code uses it; see docs/migration/shedlock.md#configuration\n    @Bean")),
                java(
                        "class User {\n    net.javacrumbs.shedlock.core.LockProvider provider;\n}\n",
                        "class User {\n    // Holdfast: this still uses ShedLock, and does not exclude what Holdfast locks; see docs/migration/shedlock.md#without-annotation\n    net.javacrumbs.shedlock.core.LockProvider provider;\n}\n"));
    }

    @Test
    void provider_of_another_store_is_left_and_marked() {
        String other = "\n    @Bean\n    LockProvider lockProvider(DataSource data) {\n        return null;\n    }\n";
        String former = configuration("", other);
        rewriteRun(
                java(
                        former,
                        former.replace(
                                "    @Bean",
                                "    // Holdfast: annotated jobs are now locked in Redis, not in the store of this provider; see docs/migration/shedlock.md#configuration\n    @Bean")));
    }
}
