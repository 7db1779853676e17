package io.holdfast.lock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_NESTED;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_NOT_SUPPORTED;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRED;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRES_NEW;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

/** Nothing is committed under a lock that was lost. */
class CommitCheckTest extends TransactionFixture {

    final ObservedDataSource second = new ObservedDataSource(TestPostgres.dataSource());
    final PlatformTransactionManager secondManager = new DataSourceTransactionManager(second);

    @Override
    void customize(AnnotationConfigApplicationContext created) {
        created.registerBean(
                "secondManager", PlatformTransactionManager.class, () -> secondManager, it -> it.setFallback(true));
    }

    private void writeAndLose() {
        write("a");
        loseStock();
    }

    private void isRolledBack(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(LockLostException.class).hasMessageContaining("'stock'");
        assertThat(written()).isEmpty();
        assertThat(database.ends).containsExactly("rollback");
    }

    @Test
    void held_lock_lets_the_transaction_commit() {
        service.lockedTransaction(() -> write("a"));
        assertThat(written()).containsExactly("a");
        assertThat(database.ends).containsExactly("commit");
        assertThat(isFree()).isTrue();
    }

    @Test
    void lost_lock_rolls_back_the_transaction_of_the_same_method() {
        isRolledBack(() -> service.lockedTransaction(this::writeAndLose));
    }

    @Test
    void lost_lock_rolls_back_whichever_annotation_comes_first() {
        isRolledBack(() -> service.transactionLocked(this::writeAndLose));
    }

    @Test
    void lost_lock_rolls_back_a_transaction_that_begins_inside() {
        isRolledBack(() -> service.locked(() -> inTransaction(this::writeAndLose)));
    }

    @Test
    void lock_that_was_lost_before_the_transaction_began_rolls_it_back() {
        isRolledBack(() -> service.locked(() -> {
            loseStock();
            inTransaction(() -> write("a"));
        }));
    }

    @Test
    void lost_lock_rolls_back_a_new_transaction() {
        isRolledBack(() -> service.lockedNewTransaction(this::writeAndLose));
    }

    @Test
    void lost_lock_rolls_back_the_transaction_of_the_caller() {
        isRolledBack(() -> inTransaction(() -> service.locked(this::writeAndLose)));
    }

    @Test
    void lock_that_is_lost_after_its_method_rolls_back_the_transaction_of_the_caller() {
        isRolledBack(() -> inTransaction(() -> {
            service.locked(() -> write("a"));
            loseStock();
        }));
    }

    @Test
    void caller_who_swallows_the_loss_is_rolled_back_all_the_same() {
        isRolledBack(() -> inTransaction(() -> {
            assertThatThrownBy(() -> service.locked(this::writeAndLose)).isInstanceOf(LockLostException.class);
            write("more");
        }));
    }

    @Test
    void loss_is_told_by_the_method_that_throws_too() {
        assertThatThrownBy(() -> service.lockedTransaction(() -> {
                    writeAndLose();
                    throw new IllegalArgumentException("own");
                }))
                .isInstanceOf(LockLostException.class)
                .satisfies(lost -> assertThat(lost.getSuppressed()[0]).hasMessage("own"));
        assertThat(written()).isEmpty();
    }

    @Test
    void lost_outer_lock_counts_while_the_inner_one_is_held() {
        isRolledBack(() -> service.locked(() -> {
            service.otherLocked(() -> inTransaction(this::writeAndLose));
        }));
    }

    @Test
    void lost_inner_lock_counts_while_the_outer_one_is_held() {
        isRolledBack(() -> service.otherLocked(() -> {
            service.locked(() -> inTransaction(this::writeAndLose));
        }));
    }

    @Test
    void lock_that_was_given_back_in_time_does_not_count() {
        service.otherLocked(() -> inTransaction(() -> write("before")));
        time.pass(Duration.ofMinutes(2));
        service.lockedTransaction(() -> write("a"));
        assertThat(written()).containsExactly("before", "a");
    }

    @Test
    void reading_transaction_is_refused_as_well() {
        assertThatThrownBy(() -> service.lockedReading(this::loseStock)).isInstanceOf(LockLostException.class);
        assertThat(database.ends).containsExactly("rollback");
    }

    @Test
    void what_was_committed_before_the_loss_stays_and_the_suspended_transaction_is_rolled_back() {
        assertThatThrownBy(() -> service.lockedTransaction(() -> {
                    write("outer");
                    inTransaction(PROPAGATION_REQUIRES_NEW, () -> write("inner"));
                    loseStock();
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(written()).containsExactly("inner");
    }

    @Test
    void new_transaction_inside_the_suspended_one_is_rolled_back_and_so_is_that() {
        assertThatThrownBy(() -> service.lockedTransaction(() -> {
                    write("outer");
                    assertThatThrownBy(() -> inTransaction(PROPAGATION_REQUIRES_NEW, this::writeAndLose))
                            .isInstanceOf(LockLostException.class);
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(written()).isEmpty();
    }

    @Test
    void nested_transaction_marks_the_whole_as_rollback_only() {
        assertThatThrownBy(() -> inTransaction(() -> {
                    write("outer");
                    service.otherLocked(() -> {
                        time.pass(Duration.ofMinutes(1));
                        assertThatThrownBy(() -> inTransaction(PROPAGATION_NESTED, () -> write("nested")))
                                .isInstanceOf(LockLostException.class);
                    });
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(written()).isEmpty();
        assertThat(database.ends).containsExactly("rollback");
    }

    @Test
    void loss_in_a_nested_transaction_outlives_the_lock() {
        assertThatThrownBy(() -> inTransaction(() -> {
                    write("outer");
                    LockHandle handle =
                            locks.acquire(LockRequest.of("by hand").lease(LEASE).renew(false));
                    loseStock();
                    assertThatThrownBy(() -> inTransaction(PROPAGATION_NESTED, () -> write("nested")))
                            .isInstanceOf(LockLostException.class);
                    assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
                }))
                .isInstanceOf(UnexpectedRollbackException.class);
        assertThat(written()).isEmpty();
    }

    @Test
    void nested_transaction_under_a_held_lock_is_committed_with_the_whole() {
        service.lockedTransaction(() -> {
            write("outer");
            inTransaction(PROPAGATION_NESTED, () -> write("nested"));
        });
        assertThat(written()).containsExactly("outer", "nested");
    }

    @Test
    void nested_transaction_that_fails_is_rolled_back_alone_while_the_lock_is_held() {
        service.lockedTransaction(() -> {
            write("outer");
            assertThatThrownBy(() -> inTransaction(PROPAGATION_NESTED, () -> {
                        write("nested");
                        throw new IllegalStateException("own");
                    }))
                    .hasMessage("own");
        });
        assertThat(written()).containsExactly("outer");
    }

    @Test
    void rollback_only_transaction_is_rolled_back_and_says_so() {
        assertThatThrownBy(() -> service.lockedTransaction(() -> {
                    write("a");
                    assertThatThrownBy(() -> inTransaction(PROPAGATION_REQUIRED, () -> {
                                throw new IllegalStateException("own");
                            }))
                            .hasMessage("own");
                }))
                .isInstanceOf(UnexpectedRollbackException.class);
        assertThat(written()).isEmpty();
        assertThat(isFree()).isTrue();
    }

    @Test
    void transaction_that_asks_for_rollback_is_rolled_back_without_a_check_and_the_loss_is_told() {
        isRolledBack(() -> service.lockedTransaction(() -> {
            TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
            writeAndLose();
        }));
    }

    @Test
    void work_outside_of_any_transaction_is_not_touched() {
        assertThatThrownBy(() -> service.lockedTransaction(() -> {
                    inTransaction(PROPAGATION_NOT_SUPPORTED, () -> write("at once"));
                    loseStock();
                    inTransaction(PROPAGATION_NOT_SUPPORTED, () -> write("at once, too"));
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(written()).containsExactly("at once", "at once, too");
    }

    @Test
    void every_transaction_manager_asks() {
        JdbcTemplate there = new JdbcTemplate(second);
        isNotWrittenBySecond(() -> service.locked(() -> inTransaction(secondManager, PROPAGATION_REQUIRED, () -> {
            there.update("insert into entry (name) values ('a')");
            loseStock();
        })));
    }

    @Test
    void both_transactions_of_two_managers_are_rolled_back() {
        JdbcTemplate there = new JdbcTemplate(second);
        isNotWrittenBySecond(() ->
                service.lockedTransaction(() -> inTransaction(secondManager, PROPAGATION_REQUIRED, () -> {
                    write("first");
                    there.update("insert into entry (name) values ('second')");
                    loseStock();
                })));
        assertThat(database.ends).containsExactly("rollback");
    }

    private void isNotWrittenBySecond(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(LockLostException.class);
        assertThat(written()).isEmpty();
        assertThat(second.ends).containsExactly("rollback");
    }

    @Test
    void locks_of_the_template_count_as_well() {
        var request = LockRequest.of(KEY).lease(LEASE).renew(false);
        isRolledBack(() -> locks.execute(request, () -> inTransaction(this::writeAndLose)));
    }

    @Test
    void locks_of_another_thread_do_not_count() {
        service.locked(() -> onAnotherThread(() -> {
            inTransaction(() -> write("a"));
            return true;
        }));
        LockHandle passedOn = locks.acquire(LockRequest.of(KEY).lease(LEASE).renew(false));
        passedOn.detach();
        loseStock();
        inTransaction(() -> write("b"));
        assertThat(written()).containsExactly("a", "b");
    }

    @Test
    void lock_with_little_left_is_extended_for_the_commit() {
        database.beforeCommit = () -> time.pass(Duration.ofMillis(499));
        service.lockedTransaction(() -> {
            write("a");
            time.pass(LEASE.minusMillis(1));
        });
        assertThat(written()).containsExactly("a");
    }

    @Test
    void lock_with_little_left_that_cannot_be_extended_rolls_back() {
        assertThatThrownBy(() -> service.lockedTransaction(() -> {
                    write("a");
                    time.pass(LEASE.minusMillis(499));
                    store.reachable(false);
                }))
                .isInstanceOf(LockStoreException.class);
        assertThat(written()).isEmpty();
        assertThat(database.ends).containsExactly("rollback");
    }

    @Test
    void store_is_not_asked_at_a_commit_that_has_time() {
        service.lockedTransaction(() -> {
            write("a");
            time.pass(LEASE.minusMillis(500));
            store.reachable(false);
            database.afterCommit = () -> store.reachable(true);
        });
        assertThat(written()).containsExactly("a");
    }

    @Test
    void lock_that_is_lost_during_the_commit_is_told_after_it() {
        database.beforeCommit = this::loseStock;
        assertThatThrownBy(() -> service.lockedTransaction(() -> write("a"))).isInstanceOf(LockLostException.class);
        assertThat(written()).containsExactly("a");
    }

    @Test
    void thread_is_as_before_after_a_refusal() {
        assertThatThrownBy(() -> service.lockedTransaction(this::writeAndLose)).isInstanceOf(LockLostException.class);
        assertThatCode(() -> inTransaction(() -> write("b"))).doesNotThrowAnyException();
        service.lockedTransaction(() -> write("c"));
        assertThat(written()).containsExactly("b", "c");
    }
}
