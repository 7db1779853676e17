package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.client.Cleanup;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Calls that were not answered. */
class UnknownOutcomeTest extends EngineFixture {

    @Test
    void acquire_with_unknown_outcome_is_undone() {
        store.after = () -> {
            throw StoreSpy.unreachable();
        };

        assertThatThrownBy(() -> locks.acquire(KEY)).isInstanceOf(LockStoreException.class);
        store.after = () -> {};

        Awaitility.await().until(this::isFree);
        assertThat(others.tryAcquire(KEY)).isPresent();
    }

    @Test
    void undo_is_repeated_until_the_store_answers() {
        store.after = () -> {
            throw StoreSpy.unreachable();
        };
        assertThatThrownBy(() -> locks.acquire(KEY)).isInstanceOf(LockStoreException.class);
        Awaitility.await().until(() -> store.leaves.size() >= 2);

        store.after = () -> {};

        Awaitility.await().until(this::isFree);
    }

    @Test
    void cancelled_acquisition_is_never_sent_again() {
        store.after = () -> {
            throw StoreSpy.unreachable();
        };
        assertThatThrownBy(() -> locks.acquire(KEY)).isInstanceOf(LockStoreException.class);
        store.after = () -> {};
        Awaitility.await().until(this::isFree);

        locks.acquire(KEY).close();

        assertThat(store.acquires).extracting(request -> request.owner()).doesNotHaveDuplicates();
    }

    @Test
    void late_call_is_refused_for_as_long_as_it_may_arrive_and_not_for_a_whole_lease() {
        store.afterNextCallHere(() -> {
            throw StoreSpy.unreachable();
        });
        LockRequest hourLong = LockRequest.of(KEY).lease(Duration.ofHours(1));
        assertThatThrownBy(() -> locks.acquire(hourLong)).isInstanceOf(LockStoreException.class);
        Awaitility.await().until(() -> isFree() && !store.leaves.isEmpty());
        AcquireRequest late = store.acquires.get(0);

        time.pass(store.longestDelay().minusMillis(10));
        assertThat(store.acquire(late)).isInstanceOf(AcquireReply.Cancelled.class);

        time.pass(Duration.ofMinutes(1));
        assertThat(store.acquire(late)).isInstanceOf(AcquireReply.Granted.class);
    }

    @Test
    void cancellation_of_an_undo_that_took_long_lasts_as_much_longer_but_no_longer_than_the_lease() {
        Cleanup cleanup = new Cleanup(store);
        long delay = store.longestDelay().toNanos();

        assertThat(cleanup.cancellation(10 * delay, delay)).hasNanos(2 * delay);
        assertThat(cleanup.cancellation(delay / 2, delay)).hasNanos(delay / 2);
        cleanup.close();
    }

    @Test
    void grant_that_arrives_after_its_deadline_is_undone_and_tried_again() {
        AtomicReference<Boolean> first = new AtomicReference<>(true);
        store.after = () -> {
            if (first.getAndSet(false)) {
                time.pass(Duration.ofMillis(200));
            }
        };

        try (LockHandle handle = locks.acquire(LockRequest.of(KEY).lease(Duration.ofMillis(150)))) {
            assertThat(handle.isHeld()).isTrue();
        }

        assertThat(store.acquires).hasSize(2);
        Awaitility.await()
                .until(() -> store.leaves.contains(store.acquires.get(0).owner()));
    }

    @Test
    void acquisition_that_was_sent_twice_is_cancelled_after_its_release() {
        var resending = new StoreSpy(store) {
            @Override
            public AcquireReply acquire(AcquireRequest request) {
                return super.acquire(request) instanceof AcquireReply.Granted granted
                        ? new AcquireReply.Granted(granted.token(), granted.tokens(), granted.waiters(), true)
                        : new AcquireReply.Cancelled();
            }
        };
        LockEngine careful = LockEngine.builder(resending).ticker(time).build();

        careful.acquire(KEY).close();

        Awaitility.await().until(() -> !resending.leaves.isEmpty());
        careful.close(); // has done what was begun
        assertThat(store.acquire(resending.acquires.get(0))).isInstanceOf(AcquireReply.Cancelled.class);
    }

    @Test
    void release_that_the_store_does_not_answer_is_repeated_in_the_background() {
        LockHandle handle = locks.acquire(KEY);
        store.reachable(false);

        handle.close();

        assertThat(handle.isHeld()).isFalse();
        store.reachable(true);
        Awaitility.await().until(this::isFree);
    }

    @Test
    void release_that_was_done_but_not_answered_is_no_loss() {
        LockHandle handle = locks.acquire(KEY);
        AtomicReference<Boolean> first = new AtomicReference<>(true);
        store.after = () -> {
            if (first.getAndSet(false)) {
                throw StoreSpy.unreachable();
            }
        };

        handle.close();

        Awaitility.await().until(() -> store.releases.size() == 2);
        assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
    }

    @Test
    void grant_that_comes_after_its_own_lease_is_no_contention_when_the_time_is_over() {
        store.after = () -> time.pass(Duration.ofMillis(200));
        LockRequest brief = LockRequest.of(KEY).lease(Duration.ofMillis(150));

        assertThatThrownBy(() -> locks.tryAcquire(brief))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("150 ms")
                .hasMessageContaining("200 ms");
        assertThatThrownBy(() -> locks.acquire(brief.waitFor(Duration.ofSeconds(1))))
                .isInstanceOf(LockStoreException.class);

        store.after = () -> {};
        Awaitility.await().until(this::isFree);
    }

    /** Nothing was written, so there is nothing to give up; else a server that is full or read-only got more to refuse. */
    @Test
    void acquisition_that_the_store_refused_sends_nothing_afterwards() {
        store.beforeAcquire = () -> {
            throw new LockStoreException("READONLY (on purpose)", null, false);
        };

        assertThatThrownBy(() -> locks.acquire(KEY)).isInstanceOf(LockStoreException.class);
        assertThatThrownBy(() -> locks.acquire(LockRequest.of(KEY).fair(true))).isInstanceOf(LockStoreException.class);

        locks.close(); // does what waits to be done
        assertThat(store.leaves).isEmpty();
    }

    @Test
    void release_that_an_interrupt_has_sent_twice_is_no_loss() {
        for (LockRequest request : List.of(LockRequest.of(KEY), LockRequest.ofAll(List.of(KEY, "another")))) {
            LockHandle handle = locks.acquire(request);
            store.afterNextCallHere(() -> {
                Thread.currentThread().interrupt();
                throw StoreSpy.unreachable();
            });

            handle.close();

            assertThat(Thread.interrupted()).isTrue();
            assertThat(isFree()).isTrue();
        }
        assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
    }

    @Test
    void several_releases_whose_replies_an_interrupt_has_cut_off_are_sent_again_at_once() {
        AtomicBoolean lost = new AtomicBoolean(true);
        var interrupted = new StoreSpy(store) {
            @Override
            public List<Pending<ReleaseReply>> releaseAll(List<ReleaseRequest> requests) {
                return lost.getAndSet(false)
                        ? Collections.nCopies(requests.size(), UnknownOutcomeTest::interruptedWait)
                        : super.releaseAll(requests);
            }
        };
        LockEngine client = LockEngine.builder(interrupted).ticker(time).build();
        LockHandle handle = client.acquire(LockRequest.ofAll(List.of("a", "b")));

        handle.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(interrupted.releases).hasSize(2);
        assertThat(others.tryAcquire(LockRequest.ofAll(List.of("a", "b")))).isPresent();
        client.close();
    }

    private static ReleaseReply interruptedWait() {
        Thread.currentThread().interrupt();
        throw StoreSpy.unreachable();
    }

    @Test
    void one_of_several_releases_that_fails_is_repeated_in_the_background() {
        var partly = new StoreSpy(store) {
            @Override
            public List<Pending<ReleaseReply>> releaseAll(List<ReleaseRequest> requests) {
                Pending<ReleaseReply> failed = () -> {
                    throw StoreSpy.unreachable();
                };
                return List.of(failed, super.releaseAll(requests.subList(1, 2)).get(0));
            }
        };
        LockEngine client = LockEngine.builder(partly).ticker(time).build();

        client.acquire(LockRequest.ofAll(List.of("a", "b"))).close();

        assertThat(partly.releases).hasSizeBetween(1, 2);
        Awaitility.await().until(() -> partly.releases.size() == 2);
        client.close();
        assertThat(client.held()).isEmpty();
        assertThat(others.tryAcquire(LockRequest.ofAll(List.of("a", "b")))).isPresent();
    }

    @Test
    void release_says_how_long_the_lease_was_at_most() {
        List<ReleaseRequest> asked = new ArrayList<>();
        var recording = new StoreSpy(store) {
            @Override
            public ReleaseReply release(ReleaseRequest request) {
                asked.add(request);
                return super.release(request);
            }
        };
        LockEngine client = LockEngine.builder(recording).ticker(time).build();
        client.acquire(KEY).close();
        LockHandle extended = client.acquire(KEY);
        extended.extend(Duration.ofMinutes(1));
        extended.close();
        LockHandle outer = client.acquire(KEY);
        client.acquire(LockRequest.of(KEY).lease(Duration.ofMinutes(2))).close();
        time.pass(Duration.ofSeconds(100));
        outer.close();
        client.close();

        assertThat(asked).extracting(ReleaseRequest::leaseMillis).containsExactly(30_000L, 60_000L, 120_000L);
    }
}
