package io.holdfast.lock.spring.transaction;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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

/** An application with PostgreSQL, and locks in memory on virtual time: a lock is lost when the test says so. */
abstract class TransactionFixture {

    static final String KEY = "stock";
    static final Duration LEASE = Duration.ofSeconds(10);

    final FakeTicker time = new FakeTicker();
    final StoreSpy store = new StoreSpy(new InMemoryLockStore(time, time));
    final List<LockEvent> events = new CopyOnWriteArrayList<>();
    final LockEngine locks =
            LockEngine.builder(store).ticker(time).listener(this::happened).build();
    final ObservedDataSource database = new ObservedDataSource(TestPostgres.dataSource());
    final JdbcTemplate jdbc = new JdbcTemplate(database);
    final PlatformTransactionManager manager = new DataSourceTransactionManager(database);
    final JdbcTemplate outside = new JdbcTemplate(TestPostgres.dataSource());
    AnnotationConfigApplicationContext context;
    Service service;

    void happened(LockEvent event) {
        events.add(event);
    }

    /** Its leases are fixed limits, so a lock is lost as soon as the time has passed. */
    static class Service {

        @DistributedLock(key = "'stock'", lease = 10, renew = false)
        public void locked(Runnable work) {
            work.run();
        }

        @DistributedLock(key = "'stock'", lease = 10, renew = false)
        @Transactional
        public void lockedTransaction(Runnable work) {
            work.run();
        }

        @Transactional
        @DistributedLock(key = "'stock'", lease = 10, renew = false)
        public void transactionLocked(Runnable work) {
            work.run();
        }

        @DistributedLock(key = "'stock'", lease = 10, renew = false)
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void lockedNewTransaction(Runnable work) {
            work.run();
        }

        @DistributedLock(key = "'stock'", lease = 10, renew = false)
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        public void lockedWithoutTransaction(Runnable work) {
            work.run();
        }

        @DistributedLock(key = "'stock'", lease = 10, renew = false)
        @Transactional(readOnly = true)
        public void lockedReading(Runnable work) {
            work.run();
        }

        @DistributedLock(key = "'stock'", lease = 10)
        public void renewed(Runnable work) {
            work.run();
        }

        @DistributedLock(key = "'stock'", waitFor = 0)
        public void impatient(Runnable work) {
            work.run();
        }

        @DistributedLock(key = "'other'", lease = 60, renew = false)
        public void otherLocked(Runnable work) {
            work.run();
        }

        @DistributedLock(key = "'stock'", lease = 10, renew = false)
        public CompletableFuture<Void> stage(Runnable work) {
            work.run();
            return CompletableFuture.completedFuture(null);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Application {}

    @BeforeEach
    final void start() {
        outside.execute("drop table if exists entry");
        outside.execute("create table entry (id bigserial primary key, name text not null)");
        context = context();
        customize(context);
        context.refresh();
        service = context.getBean(Service.class);
    }

    private AnnotationConfigApplicationContext context() {
        var created = new AnnotationConfigApplicationContext();
        TestPropertyValues.of("holdfast.shutdown.timeout=0s").and(properties()).applyTo(created);
        created.registerBean("lockTemplate", LockTemplate.class, () -> locks);
        created.registerBean("transactionManager", PlatformTransactionManager.class, () -> manager);
        created.registerBean(Service.class);
        created.register(Application.class, AopAutoConfiguration.class);
        created.register(Runners.lockConfigurations());
        return created;
    }

    String[] properties() {
        return new String[0];
    }

    void customize(AnnotationConfigApplicationContext created) {}

    @AfterEach
    final void stop() {
        store.reachable(true);
        context.close();
        locks.close();
    }

    void inTransaction(Runnable work) {
        inTransaction(TransactionDefinition.PROPAGATION_REQUIRED, work);
    }

    void inTransaction(int propagation, Runnable work) {
        inTransaction(manager, propagation, work);
    }

    static void inTransaction(PlatformTransactionManager manager, int propagation, Runnable work) {
        var template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        template.executeWithoutResult(status -> work.run());
    }

    void write(String name) {
        jdbc.update("insert into entry (name) values (?)", name);
    }

    /** As others see it. */
    List<String> written() {
        return outside.queryForList("select name from entry order by id", String.class);
    }

    void loseStock() {
        time.pass(LEASE);
    }

    boolean isFree() {
        return isFree(KEY);
    }

    boolean isFree(String key) {
        return store.inspect(LockKey.of(key)).holder().isEmpty();
    }

    static <T> T onAnotherThread(java.util.function.Supplier<T> work) {
        return NewThread.call(work);
    }
}
