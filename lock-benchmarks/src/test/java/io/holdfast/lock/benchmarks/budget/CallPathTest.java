package io.holdfast.lock.benchmarks.budget;

import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.testing.TestRedis;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Counts the classes that one call crosses: what a reader has to open to follow it. */
class CallPathTest {

    private static final int WARM_UP = 20;

    /** The shortest path of these counts: a machine that stops for a moment may add to one. */
    private static final int RECORDED = 3;

    @Test
    void uncontended_call_on_jedis_stays_within_its_budget() throws Exception {
        JedisConnectionFactory connections = TestRedis.jedis(TestRedis.shared().port());
        try (RedisLockStore store = new RedisLockStore(connections, TestRedis.PATIENT);
                LockEngine locks = LockEngine.builder(store).build()) {
            check("execute.uncontended", 0, () -> locks.execute("path:uncontended", () -> {}));
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
            check("execute.contended", 2, () -> {
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
            });
        } finally {
            connections.destroy();
        }
    }

    @Test
    void annotated_call_stays_within_its_budget() throws Exception {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Application.class)) {
            Orders orders = context.getBean(Orders.class);
            TransactionTemplate transaction = context.getBean(TransactionTemplate.class);

            check("annotated", 0, () -> orders.pay("41"));
            check("annotated.in-transaction", 0, () -> transaction.executeWithoutResult(status -> orders.pay("41")));
        }
    }

    private static void check(String name, int spread, CallPath.Call call) throws Exception {
        for (int i = 0; i < WARM_UP; i++) {
            call.run();
        }
        Set<String> classes = CallPath.of(call, RECORDED);
        if (name.startsWith("annotated")) {
            classes.removeIf(type -> !type.startsWith("io.holdfast.lock.spring."));
        }

        Budget.check(name + ".classes", classes.size(), spread, String.join("\n", classes));
    }

    /** Locks in memory; what the starter adds is the same on Redis. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "com.baomidou.lock.spring.boot.autoconfigure.LockAutoConfiguration",
                "com.baomidou.lock.spring.boot.autoconfigure.RedisTemplateLockAutoConfiguration",
                "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
                "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
                "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration",
                "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
            })
    @EnableTransactionManagement
    static class Application {

        @Bean
        InMemoryLockStore store() {
            return new InMemoryLockStore();
        }

        @Bean
        Orders orders() {
            return new Orders();
        }

        @Bean
        PlatformTransactionManager transactions() {
            return new NoResources();
        }

        @Bean
        TransactionTemplate transaction(PlatformTransactionManager transactions) {
            return new TransactionTemplate(transactions);
        }
    }

    static class Orders {

        @DistributedLock(name = "order", key = "#id")
        public String pay(String id) {
            return id;
        }
    }

    /** Transactions of nothing. */
    private static final class NoResources extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1;

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}
