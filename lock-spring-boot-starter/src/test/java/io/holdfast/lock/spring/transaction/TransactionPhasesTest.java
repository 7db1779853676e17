package io.holdfast.lock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.testing.NewThread;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Locked methods in every phase of a transaction, combined with every propagation. Whatever the combination: the locks throw
 * nothing, a lock that is acquired inside a transaction is held until that transaction completes, and when the outermost one has
 * ended, no lock is held, and nothing is left on the thread.
 */
@Timeout(300)
class TransactionPhasesTest {

    /** When the callback of the outer transaction runs. */
    enum Phase {
        WORK,
        BEFORE_COMMIT,
        BEFORE_COMPLETION,
        AFTER_COMMIT,
        AFTER_COMPLETION,
        SUSPEND,
        RESUME,
        EVENT_BEFORE_COMMIT,
        EVENT_AFTER_COMMIT,
        EVENT_AFTER_ROLLBACK,
        EVENT_AFTER_COMPLETION
    }

    /** What the callback does. */
    enum Form {
        LOCK_THEN_TRANSACTION,
        LOCK_INSIDE,
        LOCK_AROUND,
        LOCKS_ON_BOTH_SIDES,
        STAGE_INSIDE,
        TEMPLATE_INSIDE,
        LOCK_INSIDE_AFTER_ANOTHER_SYNCHRONIZATION,
        AGAIN_IN_ITS_OWN_PHASE
    }

    /** How the outer transaction ends. */
    enum End {
        COMMIT,
        ROLLBACK,
        EXCEPTION,
        EXCEPTION_IN_CALLBACK
    }

    /** What the outer transaction locks: nothing, or something before or after it registers the callback. */
    enum Outer {
        NO_LOCK,
        LOCK_BEFORE,
        LOCK_AFTER
    }

    record Case(Phase phase, Propagation propagation, boolean secondManager, Form form, End end, Outer outer) {}

    static class Service {

        @DistributedLock(name = "phases", key = "#key")
        public void locked(String key, Runnable work) {
            work.run();
        }

        @DistributedLock(name = "phases", key = "#key")
        public CompletableFuture<Void> stage(String key, Runnable work) {
            work.run();
            return CompletableFuture.completedFuture(null);
        }
    }

    record Work(Phase phase, Runnable callback) {}

    static class Listener {

        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        public void beforeCommit(Work work) {
            on(Phase.EVENT_BEFORE_COMMIT, work);
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
        public void afterCommit(Work work) {
            on(Phase.EVENT_AFTER_COMMIT, work);
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
        public void afterRollback(Work work) {
            on(Phase.EVENT_AFTER_ROLLBACK, work);
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
        public void afterCompletion(Work work) {
            on(Phase.EVENT_AFTER_COMPLETION, work);
        }

        private static void on(Phase phase, Work work) {
            if (work.phase() == phase) {
                work.callback().run();
            }
        }
    }

    /** Its connections do nothing. */
    static final class Database extends AbstractDataSource {

        @Override
        public Connection getConnection() {
            return proxy(Connection.class);
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }

        private static <T> T proxy(Class<T> type) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
                        Class<?> result = method.getReturnType();
                        if (method.getName().equals("equals")) {
                            return self == args[0];
                        }
                        return result == Savepoint.class
                                ? proxy(Savepoint.class)
                                : result == boolean.class ? (Object) false : result == int.class ? (Object) 0 : null;
                    }));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Application {

        @Bean
        @Primary
        PlatformTransactionManager first() {
            return manager(new Database());
        }

        @Bean
        PlatformTransactionManager second() {
            return manager(new Database());
        }

        private static PlatformTransactionManager manager(DataSource database) {
            return new DataSourceTransactionManager(database);
        }

        @Bean
        Service service() {
            return new Service();
        }

        @Bean
        Listener listener() {
            return new Listener();
        }
    }

    private static List<Case> cases(Phase phase) {
        List<Case> all = new ArrayList<>();
        for (Propagation propagation : Propagation.values()) {
            for (Form form : Form.values()) {
                for (Outer outer : Outer.values()) {
                    for (End end : End.values()) {
                        all.add(new Case(phase, propagation, false, form, end, outer));
                    }
                    all.add(new Case(phase, propagation, true, form, End.COMMIT, outer));
                }
            }
        }
        return all;
    }

    @ParameterizedTest
    @EnumSource
    void locks_of_any_phase_end_with_their_transaction(Phase phase) {
        Runners.inMemory().withUserConfiguration(Application.class).run(context -> {
            List<String> wrong = new ArrayList<>();
            cases(phase).forEach(each -> {
                var with = new Scenario(context, each, true);
                var without = new Scenario(context, each, false);
                NewThread.call(() -> with.run() & without.run());
                with.requireEqual(without);
                if (!with.wrong.isEmpty()) {
                    wrong.add(each + ": " + with.wrong);
                }
            });
            assertThat(wrong).isEmpty();
        });
    }

    /** One outer transaction, with the callback in its phase. Runs on a new thread. */
    private static final class Scenario {

        private final List<String> wrong = new ArrayList<>();
        private final List<String> trace = new ArrayList<>();
        private final Deque<String> completing = new ArrayDeque<>();
        private final ApplicationContext context;
        private final Case given;
        private final boolean locking;
        private final Service service;
        private final LockEngine locks;
        private final String id;
        private int depth;
        private boolean suspending;
        private boolean ownLocks;

        Scenario(ApplicationContext context, Case given, boolean locking) {
            this.context = context;
            this.given = given;
            this.locking = locking;
            this.service = context.getBean(Service.class);
            this.locks = (LockEngine) context.getBean(LockTemplate.class);
            this.id = "case" + System.identityHashCode(this) + "-";
        }

        boolean run() {
            trace(
                    "end",
                    () -> transaction(manager(false), Propagation.REQUIRED, given.end(), () -> {
                        if (given.outer() == Outer.LOCK_BEFORE) {
                            locked("outer");
                        }
                        register(given.phase());
                        if (given.outer() == Outer.LOCK_AFTER) {
                            locked("outer");
                        }
                        transaction(manager(false), Propagation.REQUIRES_NEW, End.COMMIT, () -> {});
                        if (given.outer() != Outer.NO_LOCK) {
                            locked("after");
                        }
                    }));
            require(TransactionSynchronizationManager.getResourceMap().isEmpty(), "something is bound to the thread");
            require(!TransactionSynchronizationManager.isSynchronizationActive(), "synchronization is active");
            require(held().isEmpty(), "still held: " + held());
            trace(
                    "another",
                    () -> transaction(manager(false), Propagation.REQUIRED, End.COMMIT, () -> locked("other")));
            require(held().isEmpty(), "held after another transaction: " + held());
            return true;
        }

        void requireEqual(Scenario without) {
            require(trace.equals(without.trace), "without locks: " + without.trace + ", with locks: " + trace);
        }

        private void require(boolean condition, String otherwise) {
            if (!condition) {
                wrong.add(otherwise);
            }
        }

        private void trace(String name, Runnable work) {
            try {
                work.run();
                trace.add(name);
            } catch (RuntimeException e) {
                trace.add(name + " " + e);
            }
        }

        private PlatformTransactionManager manager(boolean second) {
            return context.getBean(second ? "second" : "first", PlatformTransactionManager.class);
        }

        private void register(Phase phase) {
            if (phase == Phase.WORK) {
                callback();
            } else if (phase.name().startsWith("EVENT")) {
                ApplicationEventPublisher events = context;
                events.publishEvent(new Work(phase, this::callback));
            } else {
                TransactionSynchronizationManager.registerSynchronization(new Callback(phase, this::callback));
            }
        }

        private void transaction(PlatformTransactionManager manager, Propagation propagation, End end, Runnable work) {
            var template = new TransactionTemplate(manager);
            template.setPropagationBehavior(propagation.value());
            boolean wasSuspending = suspending;
            template.executeWithoutResult(status -> {
                ownLocks = ((DefaultTransactionStatus) status).isNewSynchronization();
                suspending &= !ownLocks;
                try {
                    work.run();
                } finally {
                    suspending = wasSuspending;
                }
                if (end == End.ROLLBACK) {
                    status.setRollbackOnly();
                } else if (end == End.EXCEPTION) {
                    throw new IllegalStateException("own");
                }
            });
        }

        private void callback() {
            depth++;
            try {
                trace(given.phase() + "" + depth, this::act);
            } finally {
                depth--;
            }
            if (given.end() == End.EXCEPTION_IN_CALLBACK && depth == 0) {
                throw new IllegalStateException("own callback");
            }
        }

        private void act() {
            switch (given.form()) {
                case LOCK_THEN_TRANSACTION -> {
                    locked("first");
                    inner(() -> {});
                }
                case LOCK_INSIDE -> inner(() -> locked("inside"));
                case LOCK_AROUND -> locked("around", () -> inner(() -> {}));
                case LOCKS_ON_BOTH_SIDES -> {
                    locked("first");
                    locked("first");
                    inner(() -> {
                        locked("inside");
                        locked("after");
                    });
                    locked("last");
                }
                case STAGE_INSIDE ->
                    inner(() -> {
                        if (locking) {
                            service.stage(id + "stage", () -> {}).join();
                        }
                    });
                case TEMPLATE_INSIDE ->
                    inner(() -> {
                        if (locking) {
                            locks.execute(id + "template", () -> {});
                        }
                        locked("after");
                    });
                case LOCK_INSIDE_AFTER_ANOTHER_SYNCHRONIZATION ->
                    inner(() -> {
                        if (TransactionSynchronizationManager.isSynchronizationActive()) {
                            TransactionSynchronizationManager.registerSynchronization(
                                    new TransactionSynchronization() {});
                        }
                        locked("inside");
                    });
                case AGAIN_IN_ITS_OWN_PHASE ->
                    inner(() -> {
                        locked("inside");
                        if (depth == 1 && TransactionSynchronizationManager.isSynchronizationActive()) {
                            register(given.phase());
                        }
                    });
            }
        }

        private void inner(Runnable work) {
            String inside = id + "inside";
            boolean before = isHeld(inside);
            boolean[] own = new boolean[1];
            transaction(manager(given.secondManager()), given.propagation(), End.COMMIT, () -> {
                own[0] = ownLocks;
                work.run();
            });
            require(before || !own[0] || !isHeld(inside), "inner lock is held after its transaction");
        }

        private void locked(String key) {
            locked(key, () -> {});
        }

        private void locked(String name, Runnable work) {
            String key = id + name;
            if (!locking) {
                work.run();
                return;
            }
            boolean before = isHeld(key);
            boolean joins = TransactionSynchronizationManager.isSynchronizationActive()
                    && TransactionSynchronizationManager.isActualTransactionActive()
                    && !suspending;
            service.locked(key, work);
            if (!suspending) {
                require(isHeld(key) == (before || joins), name + " is held: " + !joins + " after the method");
            }
            if (joins && completing.isEmpty()) {
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCompletion(int status) {
                        require(isHeld(key), name + " was released before its transaction completed");
                    }
                });
            }
        }

        private boolean isHeld(String key) {
            return held().contains("phases:" + key);
        }

        private List<String> held() {
            return locks.held().stream()
                    .map(hold -> hold.key().value())
                    .filter(key -> key.contains(id))
                    .toList();
        }

        /** Runs its action once. */
        private final class Callback implements TransactionSynchronization {

            private final Phase phase;
            private @Nullable Runnable action;

            Callback(Phase phase, Runnable action) {
                this.phase = phase;
                this.action = action;
            }

            private void on(Phase now, boolean completes) {
                Runnable once = action;
                if (phase != now || once == null) {
                    return;
                }
                action = null;
                if (completes) {
                    completing.push(now.name());
                }
                suspending = now == Phase.SUSPEND;
                try {
                    once.run();
                } finally {
                    suspending = false;
                    if (completes) {
                        completing.pop();
                    }
                }
            }

            @Override
            public void suspend() {
                on(Phase.SUSPEND, true);
            }

            @Override
            public void resume() {
                on(Phase.RESUME, false);
            }

            @Override
            public void beforeCommit(boolean readOnly) {
                on(Phase.BEFORE_COMMIT, false);
            }

            @Override
            public void beforeCompletion() {
                on(Phase.BEFORE_COMPLETION, true);
            }

            @Override
            public void afterCommit() {
                on(Phase.AFTER_COMMIT, true);
            }

            @Override
            public void afterCompletion(int status) {
                on(Phase.AFTER_COMPLETION, true);
            }
        }
    }

    static class Stock {
        @DistributedLock(name = "stock", key = "#id")
        public void reserve(int id) {}
    }

    static class Cache {
        @DistributedLock(name = "cache", key = "#id")
        public void refresh(int id) {}
    }

    static class Audit {
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void save() {}
    }

    record Orders(Stock stock, Cache cache, Audit audit, PlatformTransactionManager manager) {

        void order() {
            new TransactionTemplate(manager).executeWithoutResult(status -> {
                stock.reserve(1);
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        cache.refresh(7);
                        audit.save();
                    }
                });
            });
        }
    }

    @Test
    void locked_method_and_new_transaction_after_a_commit_leave_nothing_behind() {
        Runners.inMemory()
                .withUserConfiguration(Application.class)
                .withBean(Stock.class)
                .withBean(Cache.class)
                .withBean(Audit.class)
                .withBean(Orders.class)
                .run(context -> {
                    var locks = (LockEngine) context.getBean(LockTemplate.class);
                    for (int i = 0; i < 2; i++) {
                        context.getBean(Orders.class).order();
                        assertThat(locks.held()).isEmpty();
                        assertThat(TransactionSynchronizationManager.getResourceMap())
                                .isEmpty();
                    }
                });
    }
}
