package io.holdfast.lock.spring.fence;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.testing.FakeTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Several instances of an application with one database, and one store of locks. Each instance has a clock, which stands still: it does
 * not notice that its leases have ended, like a process that was stopped.
 */
@Timeout(120)
abstract class FenceFixture {

    static final String KEY = "stock";

    final FakeTicker time = new FakeTicker();
    final InMemoryLockStore store = new InMemoryLockStore(time, time);
    /** How long a statement waits for a row that another transaction holds, in databases that do not heed the timeout of a transaction. */
    Duration patience = Duration.ofSeconds(30);

    private final List<Instance> instances = new ArrayList<>();
    JdbcTemplate outside;

    abstract DataSource dataSource();

    String dropSchema() {
        return "drop schema if exists locks cascade";
    }

    PlatformTransactionManager manager(SmallPool pool) {
        return new DataSourceTransactionManager(pool);
    }

    public static class Service {

        @DistributedLock(key = "'stock'")
        @Transactional
        public void lockedTransaction(Runnable work) {
            work.run();
        }

        @DistributedLock(key = "'stock'")
        public void locked(Runnable work) {
            work.run();
        }

        @DistributedLock(key = "'other'")
        public void otherLocked(Runnable work) {
            work.run();
        }

        @DistributedLock(keys = "{'stock', 'other', 'third'}")
        @Transactional
        public void severalLocked(Runnable work) {
            work.run();
        }

        @DistributedLock(key = "'stock'")
        @Transactional(readOnly = true)
        public void lockedReading(Runnable work) {
            work.run();
        }

        @DistributedLock(key = "'stock'", mode = LockMode.SHARED, limit = 5)
        @Transactional
        public void sharedTransaction(Runnable work) {
            work.run();
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void newTransaction(Runnable work) {
            work.run();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Application {}

    /** One instance of the application. */
    final class Instance {

        final FakeTicker clock = new FakeTicker();
        final List<LockEvent> events = new CopyOnWriteArrayList<>();
        final LockEngine locks =
                LockEngine.builder(store).ticker(clock).listener(events::add).build();
        final SmallPool pool;
        final JdbcTemplate jdbc;
        final PlatformTransactionManager manager;
        final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        final Service service;

        Instance(int connections, String... properties) {
            pool = new SmallPool(dataSource(), connections);
            jdbc = new JdbcTemplate(pool);
            manager = manager(pool);
            TestPropertyValues.of("holdfast.shutdown.timeout=0s")
                    .and(properties)
                    .applyTo(context);
            context.registerBean("lockTemplate", LockTemplate.class, () -> locks);
            context.registerBean("transactionManager", PlatformTransactionManager.class, () -> manager);
            context.registerBean(Service.class);
            context.register(Application.class, AopAutoConfiguration.class);
            context.register(Runners.lockConfigurations());
            instances.add(this);
            context.refresh();
            service = context.getBean(Service.class);
            pool.statements.clear();
        }

        void close() {
            context.close();
            locks.close();
        }

        void inTransaction(Runnable work) {
            inTransaction(TransactionDefinition.PROPAGATION_REQUIRED, work);
        }

        void inTransaction(int propagation, Runnable work) {
            var template = new TransactionTemplate(manager);
            template.setPropagationBehavior(propagation);
            template.executeWithoutResult(status -> work.run());
        }

        void locked(Runnable work) {
            locks.execute(LockRequest.of(KEY).waitFor(Duration.ZERO), lock -> {
                work.run();
            });
        }

        /** Reads and writes, as an application that relies on its lock. */
        void increment() {
            increment(() -> {});
        }

        void increment(Runnable afterRead) {
            int now = jdbc.queryForObject("select amount from counter where id = ?", Integer.class, 1);
            afterRead.run();
            jdbc.update("update counter set amount = ? where id = ?", now + 1, 1);
        }

        List<String> fences() {
            return pool.statements.stream()
                    .filter(each -> each.contains("holdfast_fence"))
                    .toList();
        }
    }

    @BeforeEach
    final void createTables() {
        outside = new JdbcTemplate(dataSource());
        outside.execute("drop table if exists counter");
        outside.execute("drop table if exists holdfast_fence");
        outside.execute("create table counter (id int primary key, amount int not null)");
        outside.update("insert into counter (id, amount) values (1, 0)");
    }

    @AfterEach
    final void stop() {
        instances.forEach(Instance::close);
    }

    Instance fenced() {
        return fenced(2);
    }

    Instance fenced(int connections) {
        return new Instance(
                connections,
                "holdfast.transactions.fence.enabled=true",
                "holdfast.transactions.fence.initialize-schema=always");
    }

    Instance unfenced() {
        return new Instance(2);
    }

    int counted() {
        return outside.queryForObject("select amount from counter", Integer.class);
    }

    /** All leases end, and no instance notices. */
    void pause() {
        time.pass(Duration.ofMinutes(1));
    }
}
