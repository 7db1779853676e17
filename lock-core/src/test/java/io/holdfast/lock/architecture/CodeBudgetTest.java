package io.holdfast.lock.architecture;

import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.CallPath;
import io.holdfast.lock.testing.CodeBudget;
import io.holdfast.lock.testing.TestRedis;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** The size of the core, and how many of its classes a reader opens to follow one call. */
class CodeBudgetTest {

    @Test
    void code_stays_within_its_budget() {
        CodeBudget.checkCodeLines();
    }

    @Test
    void uncontended_call_on_jedis_stays_within_its_budget() throws Exception {
        JedisConnectionFactory connections = TestRedis.jedis(TestRedis.shared().port());
        try (RedisLockStore store = new RedisLockStore(connections, TestRedis.PATIENT);
                LockEngine locks = LockEngine.builder(store).build()) {
            CodeBudget.checkClasses(
                    "execute.uncontended.classes", CallPath.of(() -> locks.execute("path:uncontended", () -> {})), 0);
        } finally {
            connections.destroy();
        }
    }

    @Test
    void contended_call_on_jedis_stays_within_its_budget() throws Exception {
        JedisConnectionFactory connections = TestRedis.jedis(TestRedis.shared().port());
        try (RedisLockStore store = new RedisLockStore(connections, TestRedis.PATIENT);
                LockEngine locks = LockEngine.builder(store).build();
                RedisLockStore otherStore = new RedisLockStore(connections, TestRedis.PATIENT);
                LockEngine others = LockEngine.builder(otherStore).build()) {
            CallPath.Call waiting = () -> {
                CountDownLatch held = new CountDownLatch(1);
                CompletableFuture<Void> holder =
                        CompletableFuture.runAsync(() -> others.execute("path:contended", () -> {
                            held.countDown();
                            while (others.inspect("path:contended").waiters() == 0) {
                                Thread.onSpinWait();
                            }
                        }));
                held.await();
                locks.execute("path:contended", () -> {});
                holder.join();
            };

            CodeBudget.checkClasses("execute.contended.classes", CallPath.of(waiting), 2);
        } finally {
            connections.destroy();
        }
    }
}
