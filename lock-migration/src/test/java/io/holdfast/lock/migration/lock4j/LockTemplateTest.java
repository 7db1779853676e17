package io.holdfast.lock.migration.lock4j;

import static org.openrewrite.java.Assertions.java;

import io.holdfast.lock.migration.Recipes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;

class LockTemplateTest implements RewriteTest {

    @Override
    public void defaults(RecipeSpec spec) {
        spec.recipe(new MigrateLockTemplate()).parser(Recipes.parser());
    }

    private static String shop(String imports, String body) {
        return imports + """

                class Shop {
                    private LockTemplate locks;

                    void order(long id, long expire) {
                %s    }
                }
                """.formatted(body.indent(8));
    }

    private static final String LOCK4J = "import com.baomidou.lock.LockInfo;\nimport com.baomidou.lock.LockTemplate;\n";
    private static final String HOLDFAST = """
            import io.holdfast.lock.api.LockHandle;
            import io.holdfast.lock.api.LockRequest;
            import io.holdfast.lock.api.LockTemplate;

            import java.time.Duration;
            """;

    @Test
    void times_of_the_call_are_those_of_the_request() {
        rewriteRun(java(shop(LOCK4J, """
                        LockInfo lock = this.locks.lock("a" + id, expire, 500L);
                        if (null == lock) {
                            return;
                        }
                        System.out.println(lock.getLockKey());
                        locks.releaseLock(lock);
                        """), shop(HOLDFAST, """
                        LockHandle lock = this.locks.tryAcquire(LockRequest.of("a" + id).lease(Duration.ofMillis(expire)).renew(false).waitFor(Duration.ofMillis(500L))).orElse(null);
                        if (null == lock) {
                            return;
                        }
                        System.out.println(lock.key().value());
                        lock.close();
                        """)));
    }

    @Test
    void executor_that_stands_for_redis_is_dropped() {
        rewriteRun(java(
                shop("import com.baomidou.lock.executor.RedisTemplateLockExecutor;\n" + LOCK4J, """
                        LockInfo lock = locks.lock("a", 30000L, 5000L, RedisTemplateLockExecutor.class);
                        LockInfo other = locks.lock("b", 1000, 0, null);
                        """),
                shop(HOLDFAST, """
                        LockHandle lock = locks.tryAcquire(LockRequest.of("a").lease(Duration.ofSeconds(30)).renew(false).waitFor(Duration.ofSeconds(5))).orElse(null);
                        LockHandle other = locks.tryAcquire(LockRequest.of("b").lease(Duration.ofSeconds(1)).renew(false).waitFor(Duration.ofSeconds(0))).orElse(null);
                        """)));
    }

    @Test
    void defaults_are_written_out_and_a_lock_that_may_be_null_is_released_if_it_is_not() {
        rewriteRun(java(shop(LOCK4J, """
                        LockInfo lock = locks.lock("a");
                        LockInfo other = null;
                        other = locks.lock("b", 0, -1);
                        if (lock == null) {
                            System.out.println("busy");
                        }
                        locks.releaseLock(lock);
                        """), shop(HOLDFAST + "import java.util.Optional;\n", """
                        // Holdfast: this waits for 3 s, Lock4j's default; if lock4j.acquire-timeout is set, use its value; see docs/migration/lock4j.md#locktemplate
                        LockHandle lock = locks.tryAcquire(LockRequest.of("a").waitFor(Duration.ofSeconds(3))).orElse(null);
                        LockHandle other = null;
                        other = locks.tryAcquire(LockRequest.of("b").waitFor(Duration.ofSeconds(3))).orElse(null);
                        if (lock == null) {
                            System.out.println("busy");
                        }
                        Optional.ofNullable(lock).ifPresent(LockHandle::close);
                        """)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LockInfo lock = locks.lock(\"a\", 1, 1, com.baomidou.lock.executor.AbstractLockExecutor.class);\n",
                "LockInfo lock = new LockInfo(\"a\", \"b\", 1L, 1L, 1, null, null);\n",
                "LockInfo lock = locks.lock(\"a\");\nboolean gone = locks.releaseLock(lock);\n",
                "LockInfo lock = locks.lock(\"a\");\nlock.getLockValue();\n",
                "LockInfo lock = locks.lock(\"a\");\nSystem.out.println(lock);\n",
                "System.out.println(locks.lock(\"a\"));\nLockInfo lock = null;\n",
                "LockInfo lock = locks.lock(\"a\");\nRunnable later = () -> locks.releaseLock(lock);\n",
                "LockTemplate other = new LockTemplate();\nLockInfo lock = null;\n"
            })
    void file_with_other_uses_is_left(String body) {
        rewriteRun(java(shop(LOCK4J, body)));
    }

    @Test
    void classes_that_extend_or_return_them_are_left() {
        rewriteRun(
                java(
                        "class Mine extends com.baomidou.lock.LockTemplate {\n    com.baomidou.lock.LockTemplate other;\n}\n"),
                java(
                        "class Other {\n    com.baomidou.lock.LockTemplate other;\n\n    com.baomidou.lock.LockTemplate get() {\n        return other;\n    }\n}\n"));
    }

    /** Otherwise the code that creates them would not compile any more. */
    @Test
    void classes_that_a_file_with_other_uses_creates_are_left() {
        String shop = """
                import com.baomidou.lock.LockTemplate;

                class %1$s {
                    private final LockTemplate locks;

                    %1$s(LockTemplate locks) {
                        this.locks = locks;
                    }
                %2$s}
                """;
        rewriteRun(
                java(shop.formatted("Other", "")),
                java(shop.formatted("Shop", "\n    Object other() {\n        return new Other(locks);\n    }\n")),
                java("""
                        import com.baomidou.lock.LockTemplate;

                        class ShopTest {
                            Object shop(LockTemplate mock) {
                                return new Shop(mock);
                            }
                        }
                        """),
                java(
                        shop.formatted("Alone", ""),
                        shop.formatted("Alone", "").replace("com.baomidou.lock", "io.holdfast.lock.api")));
    }
}
