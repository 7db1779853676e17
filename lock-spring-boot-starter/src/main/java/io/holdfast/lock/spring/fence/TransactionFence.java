package io.holdfast.lock.spring.fence;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.transaction.ManagerListeners;
import io.holdfast.lock.threads.DaemonThreads;
import io.holdfast.lock.threads.Uninterrupted;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Closes the gap between the check before a commit and the commit itself. The first statement of each transaction that begins under
 * exclusive locks, on its own connection, moves the guard row of each lock to the token of its holder, unless the row has a greater
 * one: then the transaction is rolled back.
 *
 * <p><b>Why no update is lost.</b> Let L hold a lock, and S be a later holder, with a greater token. Both run a transaction that begins by
 * writing the same row, and a database lets only one transaction at a time write a row.
 *
 * <pre>
 *   L first:  L writes the row ── reads ── writes ── commits
 *                        S waits for the row ────────────────┴─ S reads what L has committed
 *   S first:  S writes the row ── reads ── writes ── commits
 *                        L waits for the row ────────────────┴─ L finds a greater token, and is refused
 * </pre>
 *
 * <p>Neither depends on clocks, leases or pauses. It is the <em>first</em> statement, since S has to wait before it reads: with a check at
 * the end, S could read, L write and commit, and S then overwrite what L has written, with the greater token. At {@code REPEATABLE READ}
 * and above, a snapshot may be older than the wait; then the database refuses to write the row, which is a failure of serialization and
 * no loss: only {@code false} of {@link FenceTable#accepts} is. A token is accepted again, since a holder may run many transactions.
 *
 * <p><b>Locks that are acquired inside a transaction</b> are fenced when they are acquired if they last until its end (annotated methods),
 * otherwise before the commit: a late holder is refused, but what was read before may be stale.
 *
 * <p><b>A transaction inside another one</b> ({@code REQUIRES_NEW}) would wait forever for the rows that its thread has locked. It leaves
 * them out: as long as the outer transaction runs, its row keeps later holders out for both. Once that one has ended, which a
 * synchronization notices before any callback of the application, the rows count again. What remains: if the outer one is rolled back, so is
 * its row, and an earlier holder is not refused because of what the inner one has committed; it reads that, if it has not read before. A
 * rollback to a savepoint undoes the rows that were written since, and no others: those stay locked, and must not be left out here.
 *
 * <p>Spring does not expect that a listener refuses to begin, and would keep the connection and the synchronization of the thread. So this
 * class rolls back, with a status that resumes nothing, because Spring resumes the suspended transaction when it sees the exception.
 */
public final class TransactionFence extends ManagerListeners {

    private static final Logger log = LoggerFactory.getLogger(TransactionFence.class);
    private static final String ADVICE =
            "If the database cannot be reached, mend that. Otherwise create the table, with io/holdfast/lock/spring/fence/schema-<database>.sql of the class path or with"
                    + " holdfast.transactions.fence.initialize-schema=always, and grant the rights to select, insert, update and"
                    + " delete its rows. A manager of JPA needs its dataSource and the JpaDialect of the provider. Or set"
                    + " holdfast.transactions.fence.enabled=false.";

    private static final int DELETION_SECONDS = 5;
    private static final long HOUR_NANOS = TimeUnit.HOURS.toNanos(1);

    private final Supplier<FenceTable> table;
    private final List<Fenced> fenced = new CopyOnWriteArrayList<>();
    /** The running transactions of this thread, the outermost first. */
    private final ThreadLocal<Deque<Running>> running = ThreadLocal.withInitial(ArrayDeque::new);

    private final CountDownLatch destroyed = new CountDownLatch(1);
    private volatile boolean started;

    /**
     * Creates an instance.
     *
     * @param beans contains the managers and templates
     * @param table called when the first transaction is fenced
     */
    public TransactionFence(ConfigurableListableBeanFactory beans, Supplier<FenceTable> table) {
        super(beans, true); // what an application's listener reads must not be older
        this.table = table;
    }

    /** A transaction on a connection of its own, and the tokens to which its guard rows were moved. */
    private final class Running implements TransactionSynchronization {

        private final ConnectionHolder connection;
        private final Map<LockKey, Long> tokens = new HashMap<>();
        /** What a rollback to each savepoint leaves of them. */
        private final Map<Object, Map<LockKey, Long>> atSavepoint = new HashMap<>();

        private Running(ConnectionHolder connection) {
            this.connection = connection;
        }

        /** Its rows are locked by this transaction, or by an outer one of the same thread. */
        private boolean isFenced(LockKey key, long token) {
            Long own = tokens.get(key);
            return (own != null && own == token)
                    || running.get().stream()
                            .filter(other -> other != this && other.tokens.containsKey(key))
                            .anyMatch(other -> table.get().isShared(other.connection, connection));
        }

        private boolean accepts(LockKey key, long token) {
            boolean accepted = isFenced(key, token) || table.get().accepts(connection, key, token);
            if (accepted) {
                tokens.put(key, token);
            }
            return accepted;
        }

        private void fence() {
            templates().forEach(template -> template.ensureLatest(this::accepts));
        }

        private void end() {
            running.get().remove(this);
        }

        @Override
        public void savepoint(Object savepoint) {
            atSavepoint.put(savepoint, Map.copyOf(tokens));
        }

        @Override
        public void savepointRollback(Object savepoint) {
            tokens.clear();
            tokens.putAll(atSavepoint.getOrDefault(savepoint, Map.of()));
        }

        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            end();
        }

        @Override
        public void afterCompletion(int status) {
            end();
        }
    }

    /** The listener of one manager. */
    private final class Fenced implements TransactionExecutionListener {

        private final String name;
        private final AbstractPlatformTransactionManager manager;

        private Fenced(String name, AbstractPlatformTransactionManager manager) {
            this.name = name;
            this.manager = manager;
        }

        @Override
        public void afterBegin(TransactionExecution execution, @Nullable Throwable failure) {
            if (failure == null && !execution.isReadOnly() && execution.isNewTransaction()) {
                begin((DefaultTransactionStatus) execution);
            } else if (failure == null) {
                with(execution, Running::fence);
            }
        }

        private void begin(DefaultTransactionStatus status) {
            Running begun = new Running(connection(status));
            running.get().add(begun);
            if (TransactionSynchronizationManager.isSynchronizationActive()) {
                TransactionSynchronizationManager.registerSynchronization(begun);
            }
            try {
                begun.fence();
            } catch (RuntimeException | Error refusal) {
                rollBack(status, refusal);
                throw refusal;
            }
        }

        private void rollBack(DefaultTransactionStatus status, Throwable refusal) {
            var resumingNothing = new DefaultTransactionStatus(
                    "", status.getTransaction(), true, status.isNewSynchronization(), false, false, false, null);
            try {
                manager.rollback(resumingNothing);
            } catch (RuntimeException | Error e) {
                refusal.addSuppressed(e);
            }
        }

        @Override
        public void beforeCommit(TransactionExecution execution) {
            with(execution, Running::fence);
        }

        @Override
        public void afterCommit(TransactionExecution execution, @Nullable Throwable failure) {
            if (execution.isNewTransaction()) {
                with(execution, Running::end);
            }
        }

        @Override
        public void afterRollback(TransactionExecution execution, @Nullable Throwable failure) {
            if (execution.isNewTransaction()) {
                with(execution, Running::end);
            } else if (!TransactionSynchronizationManager.isSynchronizationActive()) {
                with(execution, nested -> nested.tokens.clear()); // its savepoint was not noticed
            }
        }

        private void with(TransactionExecution execution, Consumer<Running> action) {
            ConnectionHolder connection = connection(execution);
            List.copyOf(running.get()).stream()
                    .filter(each -> each.connection == connection)
                    .forEach(action);
        }

        /** Each row in a transaction of its own, that waits for no other one for long: holders wait for rows that are being deleted. */
        private void deleteUnused() {
            TransactionTemplate transaction = new TransactionTemplate(manager);
            transaction.setTimeout(DELETION_SECONDS);
            RuntimeException failure = null;
            int deleted;
            do {
                deleted = 0;
                Map<String, Long> unused =
                        transaction.execute(status -> table.get().unused(connection(status)));
                for (Map.Entry<String, Long> row : unused.entrySet()) {
                    try {
                        transaction.executeWithoutResult(
                                status -> table.get().delete(connection(status), row.getKey(), row.getValue()));
                        deleted++;
                    } catch (RuntimeException e) { // of this row only
                        failure = e;
                    }
                }
            } while (deleted > 0);
            if (failure != null) {
                throw failure;
            }
        }

        /** Creates the table if that is wanted, and tries it, so that a failure stops the startup and not a transaction. */
        private void check() {
            TransactionTemplate transaction = new TransactionTemplate(manager);
            RuntimeException notCreated = null;
            try {
                transaction.executeWithoutResult(status -> table.get().create(connection(status)));
            } catch (RuntimeException e) { // also if another instance creates it at the same time
                notCreated = e;
            }
            try {
                transaction.executeWithoutResult(status -> {
                    status.setRollbackOnly();
                    table.get().probe(connection(status));
                });
            } catch (RuntimeException e) {
                RuntimeException cause = notCreated == null ? e : notCreated;
                throw new LockConfigurationException(
                        "Transactions of manager '" + name + "' cannot be fenced: "
                                + NestedExceptionUtils.getMostSpecificCause(cause)
                                        .getMessage(),
                        ADVICE,
                        cause);
            }
            log.info("Transactions of manager '{}' are fenced: a later holder of their locks refuses them", name);
        }
    }

    private static ConnectionHolder connection(TransactionExecution execution) {
        Object transaction = ((DefaultTransactionStatus) execution).getTransaction();
        return ((JdbcTransactionObjectSupport) transaction).getConnectionHolder();
    }

    @Override
    protected @Nullable TransactionExecutionListener listener(String name, PlatformTransactionManager manager) {
        if (!(manager instanceof AbstractPlatformTransactionManager known) || !isJdbc(manager)) {
            log.warn(
                    "Transactions of manager '{}' are not fenced, because {} does not manage JDBC connections of one DataSource."
                            + " Store fencing tokens with the data that these transactions write.",
                    name,
                    manager.getClass().getName());
            return null;
        }
        Fenced listener = new Fenced(name, known);
        if (started) {
            listener.check();
        }
        fenced.add(listener);
        return listener;
    }

    private static boolean isJdbc(PlatformTransactionManager manager) {
        Object resources = manager instanceof ResourceTransactionManager known ? known.getResourceFactory() : manager;
        return resources instanceof DataSource
                || isNamed(resources.getClass(), "jakarta.persistence.EntityManagerFactory");
    }

    private static boolean isNamed(Class<?> type, String name) {
        return type.getName().equals(name) || Stream.of(type.getInterfaces()).anyMatch(each -> isNamed(each, name));
    }

    @Override
    public void acquiredInside() {
        List.copyOf(running.get()).stream()
                .filter(each ->
                        TransactionSynchronizationManager.getResourceMap().containsValue(each.connection))
                .forEach(Running::fence);
    }

    @Override
    public void afterSingletonsInstantiated() {
        super.afterSingletonsInstantiated();
        fenced.forEach(Fenced::check);
        if (fenced.isEmpty()) {
            log.warn(
                    "No transactions are fenced, because no transaction manager of JDBC or JPA has been created yet. Add one, or"
                            + " remove holdfast.transactions.fence.enabled.");
        }
        started = true;
        DaemonThreads.create(this::deleteHourly, "holdfast-fence").start();
    }

    private void deleteHourly() {
        while (!Uninterrupted.await(destroyed, HOUR_NANOS)) {
            deleteUnused();
        }
    }

    void deleteUnused() {
        for (Fenced each : fenced) {
            try {
                each.deleteUnused();
            } catch (RuntimeException e) {
                log.warn(
                        "Old guard rows could not be deleted with transaction manager '{}', and are deleted later; check the"
                                + " database: {}",
                        each.name,
                        e.getMessage());
            }
        }
    }

    @Override
    public void destroy() {
        super.destroy();
        destroyed.countDown();
    }
}
