package io.holdfast.lock.spring.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_NESTED;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRED;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRES_NEW;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_SUPPORTS;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.threads.Uninterrupted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What the fence does in each database. */
abstract class FenceContract extends FenceFixture {

    private static final long ENOUGH_TO_BE_BLOCKED_MILLIS = 300;

    /** How many statements move a guard row. */
    int statements() {
        return 1;
    }

    /** Whether there are nested transactions. */
    boolean nests() {
        return true;
    }

    private void isRefused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("'stock'")
                .hasMessageContaining("a later holder has already been there");
    }

    private static CompletableFuture<Void> start(Runnable work) {
        return NewThread.start(() -> {
            work.run();
            return null;
        });
    }

    private static void assertBlocked(CompletableFuture<?> work) {
        assertThatThrownBy(() -> work.get(ENOUGH_TO_BE_BLOCKED_MILLIS, TimeUnit.MILLISECONDS))
                .isInstanceOf(TimeoutException.class);
    }

    /** The loss is reported when the lock is released. */
    private static void committedLate(Runnable work) {
        assertThatThrownBy(work::run)
                .isInstanceOfSatisfying(
                        LockLostException.class,
                        lost -> assertThat(lost.lossCause()).isEqualTo(LossCause.REVOKED));
    }

    /**
     * The gap itself: the holder is stopped after its check, before its commit; then its lease ends.
     *
     * @param patience the maximum wait for its successor to read; with the fence, the successor is blocked
     */
    private int countedAfterAPauseBeforeTheCommit(Instance late, Instance next, Duration patience) {
        CountDownLatch read = new CountDownLatch(1);
        List<CompletableFuture<Void>> successor = new ArrayList<>();
        late.pool.beforeCommit = () -> {
            late.pool.beforeCommit = () -> {};
            pause();
            successor.add(start(() -> next.service.lockedTransaction(() -> next.increment(read::countDown))));
            var unused = Uninterrupted.await(read, patience.toNanos());
        };
        committedLate(() -> late.service.lockedTransaction(late::increment));
        successor.get(0).join();
        return counted();
    }

    @Test
    void update_is_lost_without_the_fence() {
        assertThat(countedAfterAPauseBeforeTheCommit(unfenced(), unfenced(), Duration.ofMinutes(1)))
                .isEqualTo(1);
    }

    @Test
    void update_is_not_lost_with_the_fence() {
        assertThat(countedAfterAPauseBeforeTheCommit(fenced(), fenced(), Duration.ofSeconds(1)))
                .isEqualTo(2);
    }

    @Test
    void late_holder_is_refused_before_its_work() {
        Instance late = fenced(1);
        Instance next = fenced();
        isRefused(() -> late.service.locked(() -> {
            pause();
            next.service.lockedTransaction(next::increment);
            late.service.newTransaction(() -> late.jdbc.update("update counter set amount = ?", 100));
        }));
        assertThat(counted()).isEqualTo(1);
        assertThat(late.pool.statements).noneMatch(each -> each.contains("counter"));
        Awaitility.await()
                .atMost(Duration.ofMinutes(1)) // listeners are notified on another thread
                .untilAsserted(() -> assertThat(late.events)
                        .anyMatch(each -> each instanceof LockEvent.Lost lost && lost.cause() == LossCause.SUPERSEDED));
    }

    @Test
    void connection_and_thread_are_as_before_after_a_refusal() {
        Instance late = fenced(1);
        Instance next = fenced();
        LockHandle lock = late.locks.acquire(LockRequest.of(KEY));
        pause();
        next.service.lockedTransaction(next::increment);
        isRefused(() -> late.inTransaction(late::increment));
        assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThat(late.pool.isUnused()).isTrue();
        assertThatThrownBy(lock::close).isInstanceOf(LockLostException.class);
        late.inTransaction(late::increment);
        assertThat(counted()).isEqualTo(2);
    }

    @Test
    void transaction_outside_continues_after_a_refusal_inside() {
        Instance late = fenced();
        Instance next = fenced();
        late.inTransaction(() -> {
            late.jdbc.update("update counter set amount = amount + ?", 10);
            LockHandle lock = late.locks.acquire(LockRequest.of("other"));
            pause();
            next.service.otherLocked(
                    () -> next.inTransaction(() -> next.jdbc.queryForList("select 1 as a", Integer.class)));
            assertThatThrownBy(() -> late.inTransaction(PROPAGATION_REQUIRES_NEW, late::increment))
                    .isInstanceOf(LockLostException.class);
            assertThatThrownBy(lock::close).isInstanceOf(LockLostException.class);
            late.jdbc.update("update counter set amount = amount + ?", 1);
        });
        assertThat(counted()).isEqualTo(11);
        assertThat(late.pool.isUnused()).isTrue();
    }

    /** Without a transaction outside, but with synchronization, which is suspended, too. */
    @Test
    void synchronization_outside_continues_after_a_refusal_inside() {
        Instance late = fenced();
        Instance next = fenced();
        late.inTransaction(PROPAGATION_SUPPORTS, () -> {
            LockHandle lock = late.locks.acquire(LockRequest.of(KEY));
            pause();
            next.service.lockedTransaction(next::increment);
            isRefused(() -> late.inTransaction(late::increment));
            assertThat(TransactionSynchronizationManager.isSynchronizationActive())
                    .isTrue();
            assertThatThrownBy(lock::close).isInstanceOf(LockLostException.class);
        });
        assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
        assertThat(late.pool.isUnused()).isTrue();
    }

    /** Whoever comes second reads what the first one has committed, or is refused by the database. */
    @ParameterizedTest
    @EnumSource(names = {"READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE"})
    void overlapping_transactions_lose_no_update(Isolation isolation) throws Exception {
        Instance late = fenced();
        Instance next = fenced();
        CountDownLatch lateHasRead = new CountDownLatch(1);
        CountDownLatch mayWrite = new CountDownLatch(1);
        var lateWork = start(() -> committedLate(() -> late.service.locked(() -> at(isolation, late, () -> {
            int now = late.jdbc.queryForObject("select amount from counter where id = ?", Integer.class, 1);
            lateHasRead.countDown();
            await(mayWrite);
            late.jdbc.update("update counter set amount = ? where id = ?", now + 1, 1);
        }))));
        lateHasRead.await();
        pause();
        var nextWork = start(() -> next.service.locked(() -> {
            try {
                at(isolation, next, next::increment);
            } catch (ConcurrencyFailureException conflict) { // is what it is, and the lock is not lost
                at(isolation, next, next::increment);
            }
        }));
        assertBlocked(nextWork);
        mayWrite.countDown();
        lateWork.join();
        nextWork.join();
        assertThat(counted()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(names = {"READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE"})
    void late_holder_that_waits_for_its_successor_is_refused(Isolation isolation) throws Exception {
        Instance late = fenced();
        Instance next = fenced();
        late.service.lockedTransaction(() -> {}); // so that the row exists
        CountDownLatch lateHolds = new CountDownLatch(1);
        CountDownLatch mayBegin = new CountDownLatch(1);
        var lateWork = start(() -> late.service.locked(() -> {
            lateHolds.countDown();
            await(mayBegin);
            at(isolation, late, late::increment);
        }));
        lateHolds.await();
        pause();
        next.service.locked(() -> at(isolation, next, () -> {
            next.increment();
            mayBegin.countDown();
            assertBlocked(lateWork);
        }));
        assertThatThrownBy(lateWork::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfAny(LockLostException.class, ConcurrencyFailureException.class);
        assertThat(counted()).isEqualTo(1);
    }

    /** Two first transactions under one lock: one inserts the row, the other waits, and finds it. */
    @Test
    void first_row_is_inserted_once() throws Exception {
        Instance late = fenced();
        Instance next = fenced();
        CountDownLatch lateWorks = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        var lateWork = start(() -> committedLate(() -> late.service.lockedTransaction(() -> {
            late.increment();
            lateWorks.countDown();
            await(mayEnd);
        })));
        lateWorks.await();
        pause();
        var nextWork = start(() -> next.service.lockedTransaction(next::increment));
        assertBlocked(nextWork);
        mayEnd.countDown();
        lateWork.join();
        nextWork.join();
        assertThat(counted()).isEqualTo(2);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void at(Isolation isolation, Instance instance, Runnable work) {
        var template = new TransactionTemplate(instance.manager);
        template.setIsolationLevel(isolation.value());
        template.executeWithoutResult(status -> work.run());
    }

    @Test
    void statement_is_the_first_and_the_only_one() {
        Instance instance = fenced();
        instance.service.lockedTransaction(instance::increment);
        for (int i = 0; i < 3; i++) {
            instance.pool.statements.clear();
            instance.service.lockedTransaction(instance::increment);
            assertThat(instance.pool.statements).hasSize(2 + statements());
            assertThat(instance.pool.statements.get(0)).contains("holdfast_fence");
        }
    }

    @Test
    void nothing_is_sent_when_it_is_off() {
        Instance instance = unfenced();
        instance.service.lockedTransaction(instance::increment);
        assertThat(instance.fences()).isEmpty();
        assertThat(instance.context.getBeanNamesForType(TransactionFence.class)).isEmpty();
    }

    @Test
    void nothing_is_sent_without_a_lock() {
        Instance instance = fenced();
        instance.inTransaction(instance::increment);
        assertThat(instance.fences()).isEmpty();
    }

    @Test
    void shared_locks_and_permits_are_not_fenced() {
        Instance instance = fenced();
        instance.service.sharedTransaction(instance::increment);
        instance.locks.getReadWriteLock(KEY).readLock().lock();
        instance.inTransaction(instance::increment);
        instance.locks.getReadWriteLock(KEY).readLock().unlock();
        assertThat(instance.fences()).isEmpty();
    }

    @Test
    void reading_transaction_is_left_alone() {
        Instance late = fenced();
        Instance next = fenced();
        committedLate(() -> late.service.lockedReading(() -> {
            pause();
            NewThread.call(() -> {
                next.service.lockedTransaction(next::increment);
                return null;
            });
            late.jdbc.queryForObject("select amount from counter where id = ?", Integer.class, 1);
        }));
        assertThat(late.fences()).isEmpty();
    }

    @Test
    void holder_runs_many_transactions_under_one_token() {
        Instance instance = fenced();
        instance.service.locked(() -> {
            for (int i = 0; i < 3; i++) {
                instance.inTransaction(instance::increment);
            }
        });
        assertThat(counted()).isEqualTo(3);
    }

    @Test
    void reentry_and_participation_send_nothing_more() {
        Instance instance = fenced();
        instance.service.lockedTransaction(() -> {});
        instance.pool.statements.clear();
        instance.service.lockedTransaction(() -> {
            instance.service.lockedTransaction(instance::increment);
            instance.inTransaction(nests() ? PROPAGATION_NESTED : PROPAGATION_REQUIRED, instance::increment);
        });
        assertThat(instance.fences()).hasSize(statements());
        assertThat(counted()).isEqualTo(2);
    }

    /** It would wait for its own thread. */
    @Test
    void new_transaction_inside_a_fenced_one_relies_on_that() {
        Instance instance = fenced();
        instance.service.lockedTransaction(() -> {});
        instance.pool.statements.clear();
        instance.service.lockedTransaction(() -> instance.service.newTransaction(instance::increment));
        assertThat(instance.fences()).hasSize(statements());
        assertThat(counted()).isEqualTo(1);
    }

    @Test
    void new_transaction_after_the_commit_is_fenced() {
        Instance late = fenced();
        Instance next = fenced();
        isRefused(() -> late.service.lockedTransaction(() ->
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        pause();
                        NewThread.call(() -> {
                            next.service.lockedTransaction(next::increment);
                            return null;
                        });
                        late.service.newTransaction(late::increment);
                    }
                })));
        assertThat(counted()).isEqualTo(1);
    }

    @Test
    void several_locks_are_fenced_in_the_order_of_keys() {
        Instance instance = fenced();
        instance.service.severalLocked(() -> {});
        instance.pool.statements.clear();
        instance.service.severalLocked(instance::increment);
        assertThat(instance.fences()).hasSize(3 * statements());
        assertThat(outside.queryForObject("select count(*) from holdfast_fence", Integer.class))
                .isEqualTo(3);
    }

    @Test
    void one_lost_lock_of_several_is_refused() {
        Instance late = fenced();
        Instance next = fenced();
        isRefused(() -> late.service.otherLocked(() -> late.service.locked(() -> {
            pause();
            next.service.lockedTransaction(next::increment);
            late.inTransaction(late::increment);
        })));
        assertThat(counted()).isEqualTo(1);
    }

    @Test
    void lock_of_an_annotated_method_is_fenced_when_it_is_acquired_inside() {
        Instance instance = fenced();
        instance.service.lockedTransaction(() -> {});
        instance.pool.statements.clear();
        instance.inTransaction(() -> instance.service.locked(instance::increment));
        assertThat(instance.fences()).hasSize(statements());
        assertThat(instance.pool.statements.get(0)).contains("holdfast_fence");
    }

    @Test
    void lock_that_was_acquired_inside_is_fenced_before_the_commit() {
        Instance late = fenced();
        Instance next = fenced();
        LockHandle[] lock = new LockHandle[1];
        isRefused(() -> late.inTransaction(() -> {
            lock[0] = late.locks.acquire(LockRequest.of(KEY));
            pause();
            NewThread.call(() -> {
                next.service.lockedTransaction(next::increment);
                return null;
            });
            late.jdbc.update("insert into counter (id, amount) values (?, ?)", 2, 100);
        }));
        assertThatThrownBy(lock[0]::close).isInstanceOf(LockLostException.class);
        assertThat(outside.queryForObject("select count(*) from counter", Integer.class))
                .isEqualTo(1);
    }

    @Test
    void refusal_that_is_caught_is_not_committed() {
        Instance late = fenced();
        late.service.lockedTransaction(() -> {});
        outside.update("update holdfast_fence set token = ?", Long.MAX_VALUE); // by a later holder
        isRefused(() -> late.inTransaction(() -> {
            late.jdbc.update("insert into counter (id, amount) values (?, ?)", 2, 100);
            isRefused(() -> late.service.locked(late::increment));
        }));
        assertThat(outside.queryForObject("select count(*) from counter", Integer.class))
                .isEqualTo(1);
    }

    @Test
    void row_that_a_savepoint_has_undone_is_written_again() {
        assumeThat(nests()).isTrue();
        Instance instance = fenced();
        instance.service.lockedTransaction(() -> {});
        instance.pool.statements.clear();
        LockHandle[] lock = new LockHandle[1];
        instance.inTransaction(() -> {
            assertThatThrownBy(() -> instance.inTransaction(PROPAGATION_NESTED, () -> {
                        lock[0] = instance.locks.acquire(LockRequest.of(KEY));
                        instance.inTransaction(PROPAGATION_NESTED, () -> {});
                        throw new IllegalStateException("own");
                    }))
                    .hasMessage("own");
            assertThat(instance.fences()).hasSize(statements());
        });
        assertThat(instance.fences()).hasSize(2 * statements());
        lock[0].close();
    }

    /** It would wait for its own thread, if it did not rely on the row that the outer one still holds. */
    @Test
    void new_transaction_after_a_nested_one_was_rolled_back_relies_on_the_outer_one() {
        assumeThat(nests()).isTrue();
        Instance instance = fenced();
        instance.service.lockedTransaction(() -> {});
        instance.pool.statements.clear();
        instance.service.locked(() -> instance.inTransaction(() -> {
            assertThatThrownBy(() -> instance.inTransaction(PROPAGATION_NESTED, () -> {
                        throw new IllegalStateException("own");
                    }))
                    .hasMessage("own");
            instance.inTransaction(PROPAGATION_REQUIRES_NEW, instance::increment);
        }));
        assertThat(counted()).isEqualTo(1);
        assertThat(instance.fences()).hasSize(statements());
    }

    /** PostgreSQL answers nothing any more on the connection of the outer one. */
    @Test
    void new_transaction_after_a_statement_has_failed_relies_on_the_outer_one() {
        Instance instance = fenced();
        assertThatThrownBy(() -> instance.service.locked(() -> instance.inTransaction(() -> {
                    assertThatThrownBy(() -> instance.jdbc.update("insert into nowhere (id) values (1)"))
                            .isInstanceOf(DataAccessException.class);
                    instance.inTransaction(PROPAGATION_REQUIRES_NEW, instance::increment);
                    throw new IllegalStateException("own");
                })))
                .hasMessage("own");
        assertThat(counted()).isEqualTo(1);
    }

    @Test
    void row_that_a_savepoint_of_the_application_has_undone_is_written_again() {
        assumeThat(nests()).isTrue();
        Instance instance = fenced();
        instance.service.lockedTransaction(() -> {});
        instance.pool.statements.clear();
        new TransactionTemplate(instance.manager).executeWithoutResult(status -> {
            Object savepoint = status.createSavepoint();
            instance.service.locked(() -> {});
            status.rollbackToSavepoint(savepoint);
        });
        assertThat(instance.fences()).hasSize(2 * statements());
    }

    @Test
    void rows_of_unused_locks_are_deleted() {
        Instance instance = fenced(1);
        outside.batchUpdate(
                "insert into holdfast_fence (lock_key, token) values (?, ?)",
                IntStream.range(0, 120)
                        .mapToObj(i -> new Object[] {"k" + i, 1_000_000L})
                        .toList());
        long now = System.currentTimeMillis() * 1_000;
        outside.update("insert into holdfast_fence (lock_key, token) values (?, ?)", "young", now - 3_600_000_000L);
        instance.context.getBean(TransactionFence.class).deleteUnused();
        assertThat(outside.queryForList("select lock_key from holdfast_fence", String.class))
                .containsExactly("young");
    }

    @Test
    void row_that_a_transaction_holds_is_left_for_later_and_the_others_are_deleted() {
        patience = Duration.ofSeconds(1);
        Instance instance = fenced();
        for (String id : List.of("a", "b", "c")) {
            outside.update("insert into holdfast_fence (lock_key, token) values (?, ?)", id, 1_000_000L);
        }
        instance.inTransaction(() -> {
            instance.jdbc.update("update holdfast_fence set token = token where lock_key = ?", "b");
            NewThread.start(() -> {
                        instance.context.getBean(TransactionFence.class).deleteUnused();
                        return true;
                    })
                    .join();
        });
        assertThat(outside.queryForList("select lock_key from holdfast_fence", String.class))
                .containsExactly("b");
    }

    @Test
    void missing_table_stops_the_startup() {
        assertThatThrownBy(() -> new Instance(
                        2,
                        "holdfast.transactions.fence.enabled=true",
                        "holdfast.transactions.fence.initialize-schema=never"))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("'transactionManager'")
                .hasMessageContaining("initialize-schema=always");
    }

    @Test
    void column_that_is_too_small_for_tokens_stops_the_startup() {
        outside.execute("create table holdfast_fence (lock_key varchar(64) primary key, token int not null)");
        assertThatThrownBy(() -> fenced())
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("cannot be fenced")
                .hasMessageMatching("(?is).*out of range.*"); // MariaDB: Out of range
    }

    @Test
    void table_may_be_in_a_schema() {
        outside.execute(dropSchema());
        outside.execute("create schema locks");
        Instance instance = new Instance(
                1,
                "holdfast.transactions.fence.enabled=true",
                "holdfast.transactions.fence.initialize-schema=always",
                "holdfast.transactions.fence.table=locks.guards");
        instance.service.lockedTransaction(instance::increment);
        assertThat(outside.queryForObject("select count(*) from locks.guards", Integer.class))
                .isEqualTo(1);
    }

    @Test
    void keys_that_differ_in_case_have_different_rows() {
        Instance instance = fenced();
        instance.locks.execute("a", () -> instance.inTransaction(instance::increment));
        instance.locks.execute("A", () -> instance.inTransaction(instance::increment));
        assertThat(outside.queryForObject("select count(*) from holdfast_fence", Integer.class))
                .isEqualTo(2);
    }
}
