package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.acquire.Steps;
import io.holdfast.lock.engine.hold.AcquireResult;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;
import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What becomes of one call for several locks that fails, is sent twice, or is answered too late. */
class AllAtOnceStepsTest extends StepsFixture {

    private static final LockRequest BOTH = LockRequest.ofAll(List.of("a", "b")).waitFor(WAIT);
    private static final LockRequest ONE_TRY = BOTH.waitFor(Duration.ZERO);

    private void assertAllUndone(List<AcquireRequest> asked) {
        assertAllUndone(asked, "a", "b");
    }

    private void assertAllUndone(List<AcquireRequest> asked, String... free) {
        Awaitility.await()
                .untilAsserted(() -> assertThat(store.leaves)
                        .contains(asked.get(0).owner(), asked.get(1).owner()));
        assertThat(free).allMatch(this::isFree);
    }

    /** Another caller of the client lines up while the store is asked. */
    private Steps nextDuringTheCall() {
        Steps next = steps("next", request("b"));
        store.beforeAcquire = () -> {
            store.beforeAcquire = () -> {};
            next.lineUp();
        };
        return next;
    }

    @Test
    void unexpected_error_undoes_all_and_lets_the_next_one_in() {
        Steps next = nextDuringTheCall();
        store.afterNextCallHere(() -> {
            throw new IllegalStateException("broken (on purpose)");
        });

        assertThatThrownBy(() -> proceed(steps("both", BOTH))).hasMessage("broken (on purpose)");

        assertThat(woken).containsExactly("next");
        assertAllUndone(store.acquires);
        granted(next).close();
    }

    @Test
    void failure_is_told_and_reaches_those_who_have_lined_up_meanwhile() {
        Steps next = nextDuringTheCall();
        store.reachable(false);

        assertThatThrownBy(() -> proceed(steps("both", BOTH))).isInstanceOf(LockStoreException.class);

        assertThat(events)
                .last()
                .isInstanceOfSatisfying(
                        LockEvent.Failed.class,
                        failed -> assertThat(failed.key().value()).isEqualTo("a"));
        assertThatThrownBy(() -> proceed(next)).hasMessageContaining("first waiting thread");
        assertThat(store.acquires).hasSize(2);
    }

    @Test
    void call_that_was_sent_twice_is_cancelled_after_the_release() {
        store.afterNextCallHere(() -> {
            Thread.currentThread().interrupt();
            throw StoreSpy.unreachable();
        });
        LockHandle both = granted(steps("both", BOTH));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(store.joint).containsExactly(2, 2);
        assertThat(store.leaves).isEmpty();

        both.close();

        assertAllUndone(store.acquires);
    }

    @Test
    void call_that_was_sent_once_leaves_nothing_to_cancel() {
        granted(steps("both", BOTH)).close();
        heldByOther("b");
        assertRefused(steps("both", ONE_TRY));

        locks.close(); // does what waits to be done

        assertThat(store.joint).containsExactly(2, -2, 2);
        assertThat(store.leaves).isEmpty();
    }

    /** On several servers, a store may refuse others a lock that it then gives back, which only a caller that waits makes up for. */
    @Test
    void only_a_caller_that_goes_on_to_wait_says_so() {
        granted(steps("both", BOTH)).close();
        granted(steps("both", ONE_TRY)).close();

        assertThat(store.acquires).extracting(AcquireRequest::waiting).containsExactly(true, true, false, false);
    }

    @Test
    void grants_that_arrive_with_their_deadline_are_undone() {
        Duration lease = Duration.ofMillis(200);
        store.afterNextCallHere(() -> time.pass(lease));

        granted(steps("both", BOTH.lease(lease))).close();

        assertThat(store.acquires).hasSize(4);
        assertAllUndone(store.acquires.subList(0, 2));
    }

    /** As if the process stood still after it has read the grants: when the handle of b is made, the lease of a is over. */
    @Test
    void locks_that_are_lost_before_all_have_their_handles_are_asked_for_again() {
        Duration lease = Duration.ofMillis(200);
        Map<LockKey, Hold> holds = new ConcurrentHashMap<>() {
            private boolean stoodStill;

            @Override
            public Hold put(LockKey key, Hold hold) {
                if (key.value().equals("b") && !stoodStill) {
                    stoodStill = true;
                    time.pass(lease);
                }
                return super.put(key, hold);
            }
        };

        LockHandle both = granted(steps(BOTH.lease(lease), new Caller(holds, () -> {}, true, false, false)));

        assertThat(both.isHeld()).isTrue();
        assertThat(store.acquires).hasSize(4);
        both.close();
        assertThat(isFree("a") && isFree("b")).isTrue();
    }

    @Test
    void one_try_does_not_ask_for_what_another_caller_of_the_client_holds() {
        LockHandle held = granted(steps("holder", request("b").fair(true)));
        store.acquires.clear();

        assertRefused(steps("both", ONE_TRY.fair(true)));

        assertThat(store.joint).isEmpty();
        held.close();
    }

    @Test
    void one_of_several_that_was_lost_meanwhile_is_asked_for_again_until_the_time_is_over() {
        heldByOther("b");
        Steps both =
                steps("both", BOTH.lease(Duration.ofSeconds(1)).renew(false).waitFor(Duration.ofSeconds(3)));
        assertWaits(both);
        pass(Duration.ofSeconds(2));
        releasedByOther("b");

        LockHandle handle = granted(both);

        assertThat(handle.isHeld()).isTrue();
        assertThat(locks.held()).hasSize(2);
        handle.close();
        assertThat(isFree("a") && isFree("b")).isTrue();
    }

    /** One more round of calls would exceed the budget by another command timeout. */
    @Test
    void refusal_of_a_call_during_which_the_budget_ends_is_final() {
        heldByOther("b");
        Steps next = nextDuringTheCall();
        store.afterNextCallHere(() -> time.pass(WAIT));

        Steps both = steps("both", BOTH);
        assertRefused(both);

        assertThat(((AcquireResult.Contended) both.result()).key().value()).isEqualTo("b");
        assertThat(store.acquires).hasSize(2);
        assertThat(isFree("a")).isTrue();
        assertThat(woken).containsExactly("next");
        assertRefused(next);
        locks.close(); // does what waits to be done
        assertThat(store.leaves).isEmpty();
    }

    /** By the caller itself, this would take another command timeout if the store hangs. */
    @Test
    void refusal_that_may_have_granted_locks_is_undone_in_the_background_if_it_is_final() {
        heldByOther("b");
        Thread caller = Thread.currentThread();
        List<Thread> undoing = new CopyOnWriteArrayList<>();
        store.beforeNextCallHere(() -> {
            store.before = () -> undoing.add(Thread.currentThread());
            time.pass(WAIT);
            Thread.currentThread().interrupt();
            throw StoreSpy.unreachable();
        });

        assertRefused(steps("both", BOTH));

        assertAllUndone(store.acquires, "a");
        assertThat(undoing.subList(1, undoing.size())).doesNotContain(caller);
    }

    @Test
    void call_that_the_store_rejects_is_not_followed_by_others_if_the_budget_has_ended() {
        store.afterNextCallHere(() -> {
            time.pass(WAIT);
            throw new LockStoreException("LOADING (on purpose)", null, false);
        });

        assertThatThrownBy(() -> proceed(steps("both", BOTH))).hasMessageContaining("LOADING");

        assertThat(store.acquires).hasSize(2);
    }

    @Test
    void interrupt_during_the_call_is_told_as_a_failure() {
        Steps both = interruptible("both", BOTH);
        store.afterNextCallHere(() -> {
            Thread.currentThread().interrupt();
            throw StoreSpy.unreachable();
        });

        assertThatThrownBy(both::proceed).isInstanceOf(InterruptedException.class);

        assertThat(events).singleElement().isInstanceOf(LockEvent.Failed.class);
        assertAllUndone(store.acquires);
    }

    @Test
    void call_that_was_sent_twice_is_undone_though_the_store_refused_the_second_one() {
        store.afterNextCallHere(() -> {
            store.beforeAcquire = () -> {
                throw new LockStoreException("LOADING (on purpose)", null, false);
            };
            Thread.currentThread().interrupt();
            throw StoreSpy.unreachable();
        });

        assertThatThrownBy(() -> proceed(steps("both", BOTH))).hasMessageContaining("LOADING");

        assertAllUndone(store.acquires);
    }

    @Test
    void call_that_was_sent_twice_is_undone_before_the_locks_are_acquired_one_by_one() {
        store.afterNextCallHere(() -> {
            store.oneByOne = true;
            Thread.currentThread().interrupt();
            throw StoreSpy.unreachable();
        });

        proceed(steps("both", BOTH));

        Awaitility.await()
                .until(() -> store.leaves.containsAll(List.of(
                        store.acquires.get(0).owner(), store.acquires.get(1).owner())));
    }

    @Test
    void locks_that_are_acquired_one_by_one_from_the_start_have_nothing_to_undo() {
        store.oneByOne = true;

        granted(steps("both", BOTH)).close();

        locks.close(); // does what waits to be done
        assertThat(store.leaves).isEmpty();
    }
}
