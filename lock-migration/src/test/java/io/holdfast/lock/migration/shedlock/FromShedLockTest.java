package io.holdfast.lock.migration.shedlock;

import static org.openrewrite.java.Assertions.java;
import static org.openrewrite.properties.Assertions.properties;
import static org.openrewrite.yaml.Assertions.yaml;

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
                "name = \"report\", minHoldString = \"${least}\", leaseString = \"30m\", renew = false");
    }

    @Test
    void job_without_a_limit_is_one_on_one_instance() {
        rewriteRun(java("""
                import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

                class Jobs {
                    static final String NAME = "report";

                    @SchedulerLock(name = NAME, lockAtLeastFor = "${least}")
                    void report() {}

                    @SchedulerLock(name = "clean-up", lockAtMostFor = "", lockAtLeastFor = "60000")
                    void cleanUp() {}
                }
                """, """
                import io.holdfast.lock.spring.annotation.OnOneInstance;

                class Jobs {
                    static final String NAME = "report";

                    @OnOneInstance(name = NAME, minHold = "${least}")
                    void report() {}

                    @OnOneInstance(name = "clean-up", minHold = "60000ms")
                    void cleanUp() {}
                }
                """));
    }

    private static final String DROPPED =
            "    // Holdfast: lockAtLeastFor is dropped, since this job runs once for each time of its schedule; if it was to run less often, change the schedule; see docs/migration/shedlock.md#a-job\n";

    /** In this class, methods have a schedule. */
    private static String scheduled(String imports, String methods) {
        return imports + """
                import org.springframework.scheduling.annotation.Scheduled;

                class Jobs {
                """ + methods.indent(4) + "}\n";
    }

    @Test
    void scheduled_job_runs_once_for_each_fire_time() {
        rewriteRun(java(
                scheduled("import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;\n", """
                        @Scheduled(cron = "0 0 3 * * *")
                        @SchedulerLock(name = "report", lockAtMostFor = "30m", lockAtLeastFor = "${least}")
                        void report() {}

                        @Scheduled(fixedDelayString = "${delay}")
                        @SchedulerLock(name = "clean-up", lockAtMostFor = "60000", lockAtLeastFor = "")
                        void cleanUp() {}

                        @Scheduled(fixedRate = 1000)
                        @Scheduled(cron = "0 0 3 * * *")
                        @SchedulerLock(name = "sync-#{@region}")
                        void sync() {}
                        """),
                scheduled("import io.holdfast.lock.spring.annotation.OnOneInstance;\n", """
                        @Scheduled(cron = "0 0 3 * * *")
                        @OnOneInstance(name = "report", lease = "30m")
                        void report() {}

                        @Scheduled(fixedDelayString = "${delay}")
                        @OnOneInstance(name = "clean-up", lease = "60000ms")
                        void cleanUp() {}

                        @Scheduled(fixedRate = 1000)
                        @Scheduled(cron = "0 0 3 * * *")
                        @OnOneInstance(name = "sync", key = "@region")
                        void sync() {}
                        """)
                        .replaceFirst("    @Scheduled", DROPPED + "    @Scheduled")));
    }

    @Test
    void scheduled_job_whose_fire_times_are_not_known_keeps_its_times() {
        String methods = """
                @Scheduled(initialDelay = 1000)
                %s
                void once() {}

                @Scheduled(fixedDelay = 1000)
                @Scheduled(fixedRate = 1000)
                %s
                void both() {}

                @Scheduled(fixedDelay = 1000)
                %s
                CompletableFuture<String> later() {
                    return null;
                }
                """;
        String former = "@SchedulerLock(name = \"a\", lockAtMostFor = \"5m\", lockAtLeastFor = \"1m\")";
        String migrated =
                "@DistributedLock(name = \"a\", minHoldString = \"1m\", leaseString = \"5m\", renew = false, waitFor = 0, onContention = OnContention.SKIP)";
        rewriteRun(java(
                scheduled("""
                        import java.util.concurrent.CompletableFuture;

                        import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
                        """, methods.formatted(former, former, former)),
                scheduled("""
                        import java.util.concurrent.CompletableFuture;

                        import io.holdfast.lock.spring.annotation.DistributedLock;
                        import io.holdfast.lock.spring.annotation.OnContention;
                        """, methods.formatted(migrated, migrated, migrated))));
    }

    @Test
    void scheduled_job_that_extends_its_lock_has_a_lease_that_is_not_renewed() {
        String method = """
                @Scheduled(fixedDelay = 1000)
                %s
                void run() {
                    %s.extend%s(Duration.ofMinutes(5)%s);
                }
                """;
        rewriteRun(java(
                scheduled(
                        """
                        import java.time.Duration;
                        import net.javacrumbs.shedlock.core.LockExtender;
                        import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
                        """,
                        method.formatted(
                                "@SchedulerLock(name = \"a\", lockAtMostFor = \"5m\")",
                                "LockExtender",
                                "ActiveLock",
                                ", Duration.ZERO")),
                scheduled(
                        """
                        import java.time.Duration;

                        import io.holdfast.lock.spring.LockContext;
                        import io.holdfast.lock.spring.annotation.DistributedLock;
                        import io.holdfast.lock.spring.annotation.OnContention;
                        """,
                        method.formatted(
                                "@DistributedLock(name = \"a\", leaseString = \"5m\", renew = false, waitFor = 0, onContention = OnContention.SKIP)",
                                "LockContext.current().orElseThrow()",
                                "",
                                ""))));
    }

    @Test
    void shorthand_has_no_key() {
        becomes(
                "name = \"sync-#{#branch}\", lockAtLeastFor = \"1m\"",
                "name = \"sync\", key = \"#branch\", minHoldString = \"1m\"");
        becomes("name = \"a:b\", lockAtLeastFor = \"1m\"", "key = \"'a:b'\", minHoldString = \"1m\"");
    }

    @Test
    void number_without_a_unit_is_in_milliseconds() {
        becomes(
                "name = \"report\", lockAtMostFor = \"30000\", lockAtLeastFor = \"\"",
                "name = \"report\", leaseString = \"30000ms\", renew = false");
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

    private static final String LEFT = """
            import net.javacrumbs.shedlock.core.LockProvider;
            import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
            import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
            import org.springframework.context.annotation.Bean;
            import org.springframework.data.redis.connection.RedisConnectionFactory;

            %s@EnableSchedulerLock(defaultLockAtMostFor = "10m")
            class Configuration {

            %s    @Bean
                LockProvider lockProvider(RedisConnectionFactory redis) {
                    return new RedisLockProvider(redis, "shop");
                }
            }
            """;
    private static final String KEPT =
            "    // Holdfast: this provider is kept, because code uses it; see docs/migration/shedlock.md#configuration\n";
    private static final String STILL =
            "// Holdfast: this still uses ShedLock, and does not exclude what Holdfast locks; see docs/migration/shedlock.md#without-annotations\n";
    private static final String PROPERTIES = """
            holdfast.scheduled.lease=10m
            holdfast.redis.key-prefix=shop
            """;

    /** With the configuration that keeps what is left locked. */
    private void leaves(String former, String marked) {
        rewriteRun(
                java(former, marked),
                java(LEFT.formatted("", ""), LEFT.formatted(STILL, KEPT)),
                properties("", PROPERTIES.strip(), file -> file.path("src/main/resources/application.properties")));
    }

    @Test
    void method_with_a_primitive_result_is_left_and_still_locked() {
        String former = job("@SchedulerLock(name = \"report\")")
                .replace("void run(String branch) {}", "int run() {\n        return 1;\n    }");
        leaves(
                former,
                former.replace(
                        "    @Scheduler",
                        "    // Holdfast: this method is still locked by ShedLock: a method with a primitive result cannot be skipped; see docs/migration/shedlock.md#what-else-is-different\n    @Scheduler"));
    }

    @Test
    void composed_annotation_is_left_and_its_methods_are_still_locked() {
        String former = """
                import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

                @SchedulerLock(name = "report")
                @interface OnOneInstance {}
                """;
        leaves(
                former,
                former.replace(
                        "@Scheduler",
                        "// Holdfast: methods with this annotation are still locked by ShedLock: a composed annotation is not migrated; see docs/migration/shedlock.md#a-job\n@Scheduler"));
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

                import io.holdfast.lock.spring.LockContext;
                import io.holdfast.lock.spring.annotation.DistributedLock;
                import io.holdfast.lock.spring.annotation.OnContention;
                import net.javacrumbs.shedlock.core.LockExtender;

                class Jobs {
                    @DistributedLock(name = "a", leaseString = "5m", renew = false, waitFor = 0, onContention = OnContention.SKIP)
                    void run() {
                        LockContext.current().orElseThrow().extend(Duration.ofMinutes(5));
                        // Holdfast: an extension has no minimum in Holdfast: give the annotation a minHold for the whole run, counted from the grant, and extend without one; see docs/migration/shedlock.md#lockassert-lockextender
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
                import static io.holdfast.lock.spring.LockAssert.assertLocked;

                import io.holdfast.lock.spring.LockContext;
                import io.holdfast.lock.spring.annotation.DistributedLock;
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

    private static final String PLAIN = """
            import javax.sql.DataSource;

            class Configuration {
                String other;
            }
            """;

    private static String configuration() {
        return configuration(
                "@EnableSchedulerLock(defaultLockAtMostFor = \"10m\", defaultLockAtLeastFor = \"60000\")",
                PROVIDER.formatted(", \"shop\""));
    }

    @Test
    void settings_of_the_configuration_become_properties_in_the_file_of_its_module() {
        rewriteRun(
                java(configuration(), PLAIN, file -> file.path("jobs/src/main/java/Configuration.java")),
                properties(
                        "a=b\nholdfast.scheduled.lease=5m\n",
                        "a=b\n" + PROPERTIES.replace("10m", "5m").strip() + "\n",
                        file -> file.path("jobs/src/main/resources/application.properties")),
                properties("a=b\n", file -> file.path("src/main/resources/application.properties")),
                properties("a=b\n", file -> file.path("jobs/src/test/resources/application.properties")));
    }

    @Test
    void settings_of_the_configuration_become_properties_in_yaml() {
        rewriteRun(
                java(configuration(), PLAIN), yaml("""
                        a: b
                        holdfast:
                          lease: 5m
                        """, """
                        a: b
                        holdfast:
                          lease: 5m
                          redis:
                            key-prefix: shop
                          scheduled:
                            lease: 10m
                        """, file -> file.path("src/main/resources/application.yml")));
    }

    @Test
    void settings_of_the_configuration_become_properties_in_a_new_file() {
        rewriteRun(
                java(configuration(), PLAIN),
                properties(null, PROPERTIES, file -> file.path("src/main/resources/application.properties")));
    }

    @Test
    void settings_that_are_not_known_are_named() {
        rewriteRun(
                java("class Names {\n    static String time;\n    static final String MOST = time;\n}\n"),
                java(
                        configuration(
                                "@EnableSchedulerLock(defaultLockAtMostFor = Names.MOST, defaultLockAtLeastFor = Names.MOST)",
                                PROVIDER.formatted(", \"a b\"")),
                        """
                        import javax.sql.DataSource;

                        // Holdfast: set holdfast.scheduled.lease, which replaces defaultLockAtMostFor = Names.MOST; see docs/migration/shedlock.md#configuration
                        // Holdfast: methods without a schedule need a minHold in place of defaultLockAtLeastFor = Names.MOST; see docs/migration/shedlock.md#configuration
                        // Holdfast: holdfast.redis.key-prefix replaces the environment of the provider, a b; see docs/migration/shedlock.md#configuration
                        class Configuration {
                            String other;
                        }
                        """));
    }

    @Test
    void default_times_are_given_to_methods_that_spring_does_not_schedule() {
        rewriteRun(
                java(configuration(), PLAIN),
                java(
                        job("@SchedulerLock(name = \"report\", lockAtLeastFor = \"1m\")")
                                .replace(
                                        "class Jobs",
                                        "import org.springframework.scheduling.annotation.Scheduled;\n\nclass Jobs")
                                .replace(
                                        "}\n}",
                                        "}\n\n    @Scheduled(fixedRate = 1000)\n    @SchedulerLock(name = \"other\")\n    void other() {}\n}"),
                        migrated(
                                        "@DistributedLock(name = \"report\", minHoldString = \"1m\", leaseString = \"10m\", renew = false, waitFor = 0, onContention = OnContention.SKIP)")
                                .replace(
                                        "class Jobs",
                                        "import org.springframework.scheduling.annotation.Scheduled;\n\nclass Jobs")
                                .replace(
                                        "}\n}",
                                        "}\n\n    @Scheduled(fixedRate = 1000)\n    @OnOneInstance(name = \"other\")\n    void other() {}\n}")
                                .replace(
                                        "OnContention;",
                                        "OnContention;\nimport io.holdfast.lock.spring.annotation.OnOneInstance;")),
                properties("", PROPERTIES.strip(), file -> file.path("src/main/resources/application.properties")));
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
                        "class User {\n    // Holdfast: this still uses ShedLock, and does not exclude what Holdfast locks; see docs/migration/shedlock.md#without-annotations\n    net.javacrumbs.shedlock.core.LockProvider provider;\n}\n"));
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
