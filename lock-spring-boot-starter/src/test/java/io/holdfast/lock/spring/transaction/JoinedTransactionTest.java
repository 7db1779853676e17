package io.holdfast.lock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_NOT_SUPPORTED;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRES_NEW;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.LossCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

/** A lock that is taken inside the caller's transaction is free when that has ended, and not before. */
@ExtendWith(OutputCaptureExtension.class)
class JoinedTransactionTest extends TransactionFixture {

    private final List<String> visibleAtRelease = new ArrayList<>();

    @Override
    void happened(LockEvent event) {
        super.happened(event);
        if (event instanceof LockEvent.Released released
                && released.key().value().equals(KEY)) {
            visibleAtRelease.addAll(written());
        }
    }

    private boolean wasFreeAtCommit() {
        List<Boolean> free = new ArrayList<>();
        database.beforeCommit = () -> free.add(isFree());
        database.afterCommit = () -> free.add(isFree());
        inTransaction(() -> service.locked(() -> write("a")));
        return free.contains(true);
    }

    @Test
    void lock_of_the_transactional_method_is_held_during_the_commit_and_free_when_it_is_visible() {
        List<Boolean> free = new ArrayList<>();
        database.beforeCommit = () -> free.add(isFree());
        database.afterCommit = () -> free.add(isFree());
        service.lockedTransaction(() -> write("a"));
        assertThat(free).containsExactly(false, false);
        assertThat(visibleAtRelease).containsExactly("a");
        assertThat(isFree()).isTrue();
    }

    @Test
    void lock_is_held_during_the_commit_of_the_caller() {
        assertThat(wasFreeAtCommit()).isFalse();
        assertThat(isFree()).isTrue();
    }

    @Test
    void lock_is_released_when_others_see_what_was_written() {
        inTransaction(() -> service.locked(() -> write("a")));
        assertThat(visibleAtRelease).containsExactly("a");
    }

    /** As a RedisTemplate with transaction support does, which sends its commands when the transaction has ended. */
    @Test
    void what_others_write_after_the_commit_is_written_before_the_lock_is_free() {
        List<Boolean> free = new ArrayList<>();
        inTransaction(() -> service.locked(
                () -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCompletion(int status) {
                        free.add(isFree());
                    }
                })));
        assertThat(free).containsExactly(false);
        assertThat(isFree()).isTrue();
    }

    @Test
    void lock_is_released_after_a_rollback() {
        assertThatThrownBy(() -> inTransaction(() -> {
                    service.locked(() -> write("a"));
                    assertThat(isFree()).isFalse();
                    throw new IllegalStateException("own");
                }))
                .hasMessage("own");
        assertThat(isFree()).isTrue();
        assertThat(written()).isEmpty();
    }

    @Test
    void lock_of_a_method_that_failed_is_held_until_the_commit_of_what_it_wrote() {
        inTransaction(() -> {
            assertThatThrownBy(() -> service.locked(() -> {
                        write("a");
                        throw new IllegalStateException("own");
                    }))
                    .hasMessage("own");
            assertThat(isFree()).isFalse();
        });
        assertThat(visibleAtRelease).containsExactly("a");
    }

    @Test
    void other_threads_do_not_get_it_in_between() {
        inTransaction(() -> {
            service.locked(() -> write("a"));
            assertThat((Boolean) onAnotherThread(() -> locks.tryAcquire(KEY).isPresent()))
                    .isFalse();
        });
        assertThat((Boolean) onAnotherThread(() -> locks.tryAcquire(KEY).isPresent()))
                .isTrue();
    }

    @Test
    void calls_of_one_transaction_share_the_lock() {
        inTransaction(() -> {
            for (int i = 0; i < 3; i++) {
                service.locked(() -> write("a"));
                service.otherLocked(() -> write("b"));
            }
        });
        assertThat(store.acquires).hasSize(2);
        assertThat(store.releases).hasSize(2);
    }

    @Test
    void keeping_costs_no_call_to_the_store() {
        AtomicInteger calls = new AtomicInteger();
        store.after = () -> {
            calls.incrementAndGet();
            time.pass(Duration.ofMillis(1));
        };
        inTransaction(() -> service.locked(() -> {}));
        assertThat(calls).as("acquire and release").hasValue(2);
    }

    @Test
    void nested_locked_methods_are_held_until_the_end() {
        inTransaction(() -> {
            service.otherLocked(() -> service.locked(() -> service.otherLocked(() -> write("a"))));
            assertThat(isFree()).isFalse();
            assertThat(isFree("other")).isFalse();
        });
        assertThat(isFree()).isTrue();
        assertThat(isFree("other")).isTrue();
    }

    @Test
    void lock_around_the_transaction_stays_with_its_method() {
        service.locked(() -> {
            inTransaction(() -> service.locked(() -> write("a")));
            assertThat(isFree()).isFalse();
        });
        assertThat(isFree()).isTrue();
    }

    private LossCause causeOfLossAfter(Runnable call) {
        return catchThrowableOfType(
                        LockLostException.class,
                        () -> inTransaction(() -> {
                            call.run();
                            store.reachable(false);
                            loseStock();
                        }))
                .lossCause();
    }

    @Test
    void renewed_lock_is_renewed_until_the_end() {
        assertThat(causeOfLossAfter(() -> service.renewed(() -> {}))).isEqualTo(LossCause.EXPIRED);
    }

    @Test
    void fixed_lease_is_a_limit_until_the_end() {
        assertThat(causeOfLossAfter(() -> service.locked(() -> {}))).isEqualTo(LossCause.TIME_LIMIT_REACHED);
    }

    @Test
    void lock_is_renewed_if_one_of_its_methods_wants_it() {
        assertThat(causeOfLossAfter(() -> {
                    service.locked(() -> {});
                    service.renewed(() -> {});
                }))
                .isEqualTo(LossCause.EXPIRED);
    }

    @Test
    void method_with_a_new_transaction_releases_at_its_end() {
        inTransaction(() -> {
            write("outer");
            service.lockedNewTransaction(() -> write("a"));
            assertThat(isFree()).isTrue();
        });
        assertThat(visibleAtRelease).containsExactly("a");
    }

    @Test
    void method_that_suspends_the_transaction_releases_at_its_end() {
        inTransaction(() -> {
            service.lockedWithoutTransaction(() -> write("a"));
            assertThat(isFree()).isTrue();
        });
    }

    @Test
    void lock_inside_a_new_transaction_is_released_at_the_end_of_that_one() {
        inTransaction(() -> {
            service.otherLocked(() -> write("outer"));
            inTransaction(PROPAGATION_REQUIRES_NEW, () -> service.locked(() -> write("inner")));
            assertThat(isFree()).isTrue();
            assertThat(isFree("other")).isFalse();
            service.otherLocked(() -> write("outer, too"));
        });
        assertThat(isFree("other")).isTrue();
        assertThat(store.acquires).hasSize(2);
        assertThat(visibleAtRelease).containsExactly("inner");
    }

    @Test
    void lock_while_the_transaction_is_suspended_is_released_at_the_end_of_its_method() {
        inTransaction(() -> inTransaction(PROPAGATION_NOT_SUPPORTED, () -> {
            service.locked(() -> write("a"));
            assertThat(isFree()).isTrue();
        }));
    }

    @Test
    void stage_is_followed_and_so_is_the_transaction() {
        inTransaction(() -> {
            service.stage(() -> write("a")).join();
            assertThat(isFree()).isFalse();
        });
        assertThat(visibleAtRelease).containsExactly("a");
        assertThat(isFree()).isTrue();
    }

    @Test
    void lock_of_an_after_commit_hook_is_released_with_the_transaction() {
        inTransaction(() -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                service.locked(() -> {});
                assertThat(isFree()).isFalse();
            }
        }));
        assertThat(isFree()).isTrue();
        assertThat(store.releases).hasSize(1);
    }

    @Test
    void method_that_does_not_get_the_lock_keeps_nothing() {
        LockHandle other = onAnotherThread(() -> locks.acquire(KEY));
        inTransaction(() -> assertThatThrownBy(() -> service.impatient(() -> write("a")))
                .isInstanceOf(LockNotAcquiredException.class));
        assertThat(written()).isEmpty();
        assertThat(other.isHeld()).isTrue();
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
    }

    @Test
    void transaction_leaves_nothing_on_its_thread() {
        inTransaction(() -> {
            service.locked(() -> {});
            inTransaction(PROPAGATION_REQUIRES_NEW, () -> service.otherLocked(() -> {}));
        });
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThatThrownBy(() -> inTransaction(() -> {
                    service.locked(this::loseStock);
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThat(locks.getLock(KEY).holdCount()).isZero();
    }

    private Runnable joining(LockRequest request, LockTemplate template) {
        MethodInvocation call = mock();
        when(call.getMethod()).thenReturn(ClassUtils.getMethod(Service.class, "locked", (Class<?>[]) null));
        return new JoinedTransactions(context.getBeanFactory(), () -> true).before(call, "caller", request, template);
    }

    static Stream<LockRequest> requests() {
        return Stream.of(
                LockRequest.of(KEY).minHold(LEASE),
                LockRequest.of(KEY).shared(2),
                LockRequest.of(KEY).fair(true).maxHold(LEASE),
                LockRequest.ofAll(List.of(KEY, "other")));
    }

    @ParameterizedTest
    @MethodSource("requests")
    void lock_of_any_kind_is_kept(LockRequest request) {
        inTransaction(() -> {
            locks.execute(request, joining(request, locks)::run);
            assertThat(isFree()).isFalse();
            assertThat(store.releases).isEmpty();
        });
        assertThat(store.releases).hasSameSizeAs(request.keys());
    }

    @Test
    void lock_that_cannot_be_released_does_not_keep_others(CapturedOutput output) {
        LockTemplate template = mock(RETURNS_DEEP_STUBS);
        LockHandle first = mock();
        LockHandle second = mock();
        doThrow(new IllegalStateException("on purpose")).when(second).close();
        when(template.acquire(any(LockRequest.class))).thenReturn(first, second);
        inTransaction(() -> {
            joining(LockRequest.of("first"), template).run();
            joining(LockRequest.of("second"), template).run();
        });
        verify(first).close();
        assertThat(output).contains("could not be released after a transaction completed", "on purpose");
    }

    @Test
    void loss_during_the_commit_is_logged(CapturedOutput output) {
        database.beforeCommit = this::loseStock;
        inTransaction(() -> service.locked(() -> write("a")));
        assertThat(written()).containsExactly("a");
        assertThat(output).contains("committed or left in doubt, although the lock was lost", "Lock 'stock'");
    }

    @Test
    void loss_before_a_rollback_is_logged(CapturedOutput output) {
        assertThatThrownBy(() -> inTransaction(() -> {
                    service.locked(() -> write("a"));
                    loseStock();
                    throw new IllegalStateException("own");
                }))
                .hasMessage("own");
        assertThat(output).contains("rolled back, because the lock was lost before the commit", "Lock 'stock'");
    }

    @Test
    void lock_inside_a_transaction_is_warned_of_once(CapturedOutput output) {
        for (int i = 0; i < 2; i++) {
            inTransaction(() -> service.locked(() -> {}));
        }
        assertThat(output.getOut().split("acquires lock 'stock' inside a transaction, which is already running", -1))
                .hasSize(2);
        assertThat(output).contains("Service.locked", "REQUIRES_NEW", "held until the transaction completes");
    }

    @Test
    void transaction_that_has_a_name_is_named(CapturedOutput output) {
        var template = new TransactionTemplate(manager);
        template.setName("import");
        template.executeWithoutResult(status -> service.locked(() -> {}));
        assertThat(output).contains("acquires lock 'stock' inside transaction 'import', which is already running");
    }

    @Test
    void lock_that_was_taken_before_the_transaction_is_not_warned_of(CapturedOutput output) {
        service.lockedTransaction(() -> service.locked(() -> {}));
        inTransaction(() -> service.lockedNewTransaction(() -> {}));
        assertThat(output).doesNotContain("acquires lock");
    }
}
