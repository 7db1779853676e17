package io.holdfast.lock.migration;

import static org.openrewrite.kotlin.Assertions.kotlin;

import org.junit.jupiter.api.Test;
import org.openrewrite.java.JavaParser;
import org.openrewrite.kotlin.KotlinParser;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;

/** What the recipes do in Kotlin: annotations, beans and simple uses of Lock4j's template migrate, locks of Redisson are marked. */
class KotlinTest implements RewriteTest {

    @Override
    public void defaults(RecipeSpec spec) {
        spec.parser(KotlinParser.builder()
                .classpath(JavaParser.dependenciesFromClasspath(
                        "lock4j-core",
                        "redisson",
                        "shedlock-core",
                        "shedlock-spring",
                        "spring-beans",
                        "spring-context",
                        "spring-core",
                        "spring-data-redis",
                        "spring-integration-core",
                        "spring-integration-redis")));
    }

    private void becomes(String recipe, String former, String migrated) {
        rewriteRun(
                spec -> spec.recipeFromResource(
                        "/META-INF/rewrite/holdfast.yml", "io.holdfast.lock.migration." + recipe),
                kotlin(former, migrated));
    }

    @Test
    void annotations_are_migrated() {
        becomes("FromShedLock", """
                import net.javacrumbs.shedlock.core.LockAssert
                import net.javacrumbs.shedlock.spring.annotation.SchedulerLock

                class Jobs {
                    @SchedulerLock(name = "report", lockAtLeastFor = "1m")
                    fun report() {
                        LockAssert.assertLocked()
                    }
                }
                """, """
                import io.holdfast.lock.spring.LockAssert
                import io.holdfast.lock.spring.annotation.OnOneInstance

                class Jobs {
                    @OnOneInstance(name = "report", minHold = "1m")
                    fun report() {
                        LockAssert.assertLocked()
                    }
                }
                """);
        becomes("FromLock4j", """
                import com.baomidou.lock.annotation.Lock4j

                class Orders {
                    @Lock4j(keys = ["#a", "#b"], expire = 10_000)
                    fun pay(a: Long, b: Long) {}
                }
                """, """
                import io.holdfast.lock.spring.annotation.DistributedLock

                class Orders {
                    @DistributedLock(name = "Orders.pay", key = "parts(#a, #b)", lease = 10, renew = false, waitFor = 3)
                    fun pay(a: Long, b: Long) {}
                }
                """);
    }

    @Test
    void template_of_lock4j_is_migrated_where_a_file_only_locks_and_releases() {
        becomes("FromLock4j", """
                import com.baomidou.lock.LockTemplate

                class Orders(private val locks: LockTemplate) {
                    fun pay(id: Long) {
                        val lock = locks.lock("order:$id", 10_000, 2_000)
                        if (lock == null) {
                            throw IllegalStateException()
                        }
                        try {
                            println(id)
                        } finally {
                            locks.releaseLock(lock)
                        }
                    }
                }
                """, """
                import io.holdfast.lock.api.LockRequest
                import io.holdfast.lock.api.LockTemplate

                import java.time.Duration

                class Orders(private val locks: LockTemplate) {
                    fun pay(id: Long) {
                        val lock = locks.tryAcquire(LockRequest.of("order:$id").lease(Duration.ofSeconds(10)).renew(false).waitFor(Duration.ofSeconds(2))).orElse(null)
                        if (lock == null) {
                            throw IllegalStateException()
                        }
                        try {
                            println(id)
                        } finally {
                            lock.close()
                        }
                    }
                }
                """);
    }

    @Test
    void class_is_marked_whose_template_of_lock4j_is_left() {
        String former = """
                import com.baomidou.lock.LockTemplate

                class Orders(private val locks: LockTemplate) {
                    fun pay(id: Long) {
                        val lock = locks.lock("order:$id", 10_000, 2_000) ?: return
                        locks.releaseLock(lock)
                    }
                }
                """;
        becomes(
                "FromLock4j",
                former,
                former.replace(
                        "class",
                        "// Holdfast: this still uses Lock4j, and does not exclude what Holdfast locks; see docs/migration/lock4j.md#what-else-is-different\nclass"));
    }

    @Test
    void locks_of_redisson_are_left_and_marked() {
        String former = """
                import java.util.concurrent.TimeUnit
                import org.redisson.api.RLock
                import org.redisson.api.RSemaphore
                import org.redisson.api.RedissonClient
                import org.springframework.beans.factory.annotation.Autowired

                @semaphore@class Orders(private val gateway: RSemaphore) {
                    @Autowired
                    private lateinit var redisson: RedissonClient

                    fun pay(id: Long) {
                        @lock@val lock = redisson.getLock("order:$id")
                        lock.lock(10, TimeUnit.SECONDS)
                        lock.unlock()
                    }

                    fun payBoth() {
                        @lock@val both: RLock = redisson.getMultiLock(redisson.getLock("a"), redisson.getLock("b"))
                        both.lock(10, TimeUnit.SECONDS)
                        both.unlock()
                    }

                    @lock@fun lock() = redisson.getLock("order")
                }
                """;
        String note =
                "// Holdfast: this still uses Redisson, and does not exclude what Holdfast locks; see docs/migration/redisson.md#";
        String indented = former.replaceFirst("@lock@", note + "lock\n" + " ".repeat(8))
                .replace("@lock@", "")
                .replace("@semaphore@", note + "semaphore\n");
        becomes("FromRedisson", former.replaceAll("@(lock|semaphore)@", ""), indented);
    }

    @Test
    void bean_of_spring_integration_is_replaced() {
        becomes("FromSpringIntegration", """
                import org.springframework.context.annotation.Bean
                import org.springframework.data.redis.connection.RedisConnectionFactory
                import org.springframework.integration.redis.util.RedisLockRegistry

                class Locks {
                    @Bean
                    fun lockRegistry(redis: RedisConnectionFactory): RedisLockRegistry {
                        return RedisLockRegistry(redis, "shop")
                    }
                }
                """, """
                import io.holdfast.lock.api.LockTemplate
                import io.holdfast.lock.spring.integration.HoldfastLockRegistry
                import org.springframework.context.annotation.Bean

                class Locks {
                    // Holdfast: a lock is renewed while it is held; previously it expired after its time to live; see docs/migration/spring-integration.md#the-bean
                    @Bean
                    fun lockRegistry( lockTemplate:LockTemplate): HoldfastLockRegistry {
                        return HoldfastLockRegistry(lockTemplate, "shop")
                    }
                }
                """);
    }
}
