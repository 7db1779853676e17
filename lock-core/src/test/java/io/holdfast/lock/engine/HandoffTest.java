package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockInterruptedException;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads of one client pass a lock to each other without the store. */
@Timeout(120)
class HandoffTest extends ThreadsFixture {

    private static final int RACES = 100;

    private volatile boolean resends;
    private volatile boolean renews = true;
    private volatile boolean unsubscribed;
    private volatile CountDownLatch stalled = new CountDownLatch(0);
    private volatile @Nullable Thread slow;
    private volatile boolean asleep;

    @Override
    StoreSpy store(InMemoryLockStore memory) {
        return new StoreSpy(memory) {
            @Override
            public AcquireReply acquire(AcquireRequest request) {
                AcquireReply reply = super.acquire(request);
                return resends && reply instanceof AcquireReply.Granted granted
                        ? new AcquireReply.Granted(granted.token(), granted.tokens(), granted.waiters(), true)
                        : reply;
            }

            @Override
            public Listening listen(String clientId, WakeListener listener) {
                return unsubscribed ? () -> {} : super.listen(clientId, listener);
            }

            @Override
            public List<RenewReply> renew(List<RenewRequest> requests) {
                return renews
                        ? super.renew(requests)
                        : requests.stream()
                                .<RenewReply>map(request -> new RenewReply.Failed("on purpose"))
                                .toList();
            }
        };
    }

    @Override
    void paused() {
        if (Thread.currentThread() == slow) {
            asleep = true;
            try {
                stalled.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The first has got the lock from the store, and those behind it may be handed the lock. */
    private List<Future<LockHandle>> line(LockRequest... requests) {
        LockHandle before = locks.acquire(requests[0].minHold(Duration.ZERO));
        List<Future<LockHandle>> line = new ArrayList<>();
        for (LockRequest request : requests) {
            line.add(waiting(locks, request));
        }
        before.close();
        get(line.get(0));
        passMicro();
        store.acquires.clear();
        store.releases.clear();
        return line;
    }

    @Test
    void threads_of_one_client_pass_a_lock_without_asking_the_store() {
        List<Future<LockHandle>> line = line(REQUEST, REQUEST, REQUEST, REQUEST);
        long lastFencingToken = 0;
        for (Future<LockHandle> next : line) {
            LockHandle handle = get(next);
            assertThat(handle.isHeld()).isTrue();
            assertThat(handle.fencingToken()).isGreaterThan(lastFencingToken);
            assertThat(store.acquires).isEmpty();
            assertThat(store.releases).isEmpty();
            lastFencingToken = handle.fencingToken();
            passMicro();
            handle.close();
        }
        assertThat(store.releases).hasSize(1);
        assertThat(isFree()).isTrue();
        assertThat(locks.held()).isEmpty();
        assertThat(others.acquire(KEY).fencingToken()).isGreaterThan(lastFencingToken);
    }

    /** They have the same owner at the store, so only their tokens tell them apart. */
    @Test
    void write_of_a_thread_that_passed_the_lock_on_does_not_arrive_after_the_next_one_has_read() {
        LockRequest withData = REQUEST.withData(Duration.ofHours(1));
        List<Future<LockHandle>> line = line(withData, withData);
        LockHandle first = get(line.get(0));
        store.beforeNextCallHere(() -> {
            throw StoreSpy.unreachable();
        });
        assertThatThrownBy(() -> first.saveData(new byte[] {1})).isInstanceOf(LockStoreException.class);
        passMicro();
        first.close();
        LockHandle second = get(line.get(1));
        assertThat(store.acquires).isEmpty();
        assertThat(second.data().bytes()).isEmpty();

        assertThat(store.data(store.dataCalls.get(0))).isEmpty();

        assertThat(second.data().bytes()).isEmpty();
        second.saveData(new byte[] {2});
        second.close();
        assertThat(locks.data(KEY).bytes().orElseThrow()).containsExactly(2);
    }

    /** A client that subscribes while it waits asks for its entries once it has, since messages of before were lost. */
    private void subscribe() {
        LockRequest another = LockRequest.of("another").waitFor(Duration.ofMinutes(10));
        LockHandle held = others.acquire(another);
        Future<LockHandle> waiter = waiting(locks, another);
        eventually(() -> locks.subscriptionState() == LocalLocks.SubscriptionState.CONNECTED);
        held.close();
        get(waiter).close();
    }

    /** As long as the store was not asked, the lease of each is what is left of the reservation, as it would be for the next. */
    @Test
    void lease_that_is_shorter_than_its_reservation_is_passed_on_after_a_message() {
        LockRequest brief = REQUEST.lease(Duration.ofSeconds(2));
        subscribe();
        LockHandle before = locks.acquire(brief);
        Future<LockHandle> other = waiting(others, brief);
        Future<LockHandle> first = waiting(locks, brief);
        Future<LockHandle> second = waiting(locks, brief);
        before.close();
        LockHandle between = get(other);
        eventually(() -> waiters() == 1);
        store.acquires.clear();

        between.close();
        LockHandle handle = get(first);
        passMicro();
        handle.close();

        assertThat(get(second).isHeld()).isTrue();
        assertThat(store.acquires).isEmpty();
    }

    /** So the store is not ahead of its clock, which is what tokens increase by after it has lost its data. */
    @Test
    void tokens_that_the_threads_did_not_use_are_given_back() {
        List<Future<LockHandle>> line = line(REQUEST, REQUEST);
        get(line.get(0)).close();
        LockHandle last = get(line.get(1));
        assertThat(store.inspect(LockKey.of(KEY)).lastFencingToken()).isGreaterThan(last.fencingToken());

        last.close();

        assertThat(store.inspect(LockKey.of(KEY)).lastFencingToken()).isEqualTo(last.fencingToken());
    }

    @Test
    void tokens_that_a_writer_did_not_use_are_given_back_when_it_goes_on_as_a_reader() {
        Writer line = writer();

        line.writer().close();

        assertThat(store.inspect(LockKey.of(KEY)).lastFencingToken())
                .isEqualTo(line.writer().fencingToken());
    }

    @Test
    void tokens_that_a_writer_did_not_use_are_given_back_also_if_the_store_fails_at_first() {
        Writer line = writer();
        store.beforeNextCallHere(() -> {
            throw StoreSpy.unreachable();
        });

        line.writer().close();

        eventually(() -> store.inspect(LockKey.of(KEY)).lastFencingToken()
                == line.writer().fencingToken());
    }

    /** Who writes, with others behind it, and reads at the same time. */
    private record Writer(LockHandle writer, LockHandle reader, Future<LockHandle> next) {}

    private Writer writer() {
        LockHandle before = locks.acquire(REQUEST);
        Worker worker = worker();
        Future<LockHandle> front = waiting(worker, locks, REQUEST);
        Future<LockHandle> next = waiting(locks, REQUEST);
        before.close();
        LockHandle writer = get(front);
        passMicro();
        LockHandle reader = get(worker.acquire(locks, REQUEST.shared()));
        assertThat(store.inspect(LockKey.of(KEY)).lastFencingToken()).isGreaterThan(writer.fencingToken());
        return new Writer(writer, reader, next);
    }

    @Test
    void handle_of_a_lock_that_was_passed_on_holds_nothing() {
        List<Future<LockHandle>> line = line(REQUEST, REQUEST);
        LockHandle former = get(line.get(0));
        long token = former.fencingToken();
        former.close();
        LockHandle next = get(line.get(1));

        former.close();

        assertThat(former.isHeld()).isFalse();
        assertThat(former.remaining()).isZero();
        assertThat(former.fencingToken()).isEqualTo(token);
        assertThatThrownBy(former::ensureHeld).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> former.extend(Duration.ofMinutes(1))).isInstanceOf(IllegalStateException.class);
        assertThat(next.isHeld()).isTrue();
    }

    @Test
    void lock_that_was_passed_on_is_held_no_longer_than_the_store_has_said() {
        List<Future<LockHandle>> line = line(REQUEST, REQUEST);
        time.pass(Duration.ofMillis(50));
        get(line.get(0)).close();
        LockHandle next = get(line.get(1));

        assertThat(next.remaining())
                .isLessThanOrEqualTo(locks.inspect(KEY).holder().orElseThrow().remaining())
                .isLessThan(Duration.ofSeconds(30).minusMillis(49));
    }

    @Test
    void lock_that_was_passed_on_can_be_extended_and_is_released_by_its_holder() {
        List<Future<LockHandle>> line = line(REQUEST, REQUEST);
        get(line.get(0)).close();
        LockHandle next = get(line.get(1));

        next.extend(Duration.ofMinutes(2));

        assertThat(next.remaining()).isEqualTo(Duration.ofMinutes(2));
        next.close();
        assertThat(isFree()).isTrue();
    }

    @Test
    void lease_without_renewal_is_not_passed_on() {
        LockRequest fixed = REQUEST.renew(false);
        assertNotPassedOn(line(fixed, fixed));
    }

    @Test
    void lock_is_not_passed_on_to_who_wants_another_lease() {
        assertNotPassedOn(line(REQUEST, REQUEST.lease(Duration.ofSeconds(20))));
    }

    @Test
    void lock_is_not_passed_on_to_who_wants_another_limit_of_the_hold() {
        assertNotPassedOn(line(REQUEST, REQUEST.maxHold(Duration.ofMinutes(1))));
    }

    @Test
    void lock_is_not_passed_on_to_who_wants_no_renewal() {
        assertNotPassedOn(line(REQUEST, REQUEST.renew(false)));
    }

    @Test
    void lock_with_a_minimum_hold_is_not_passed_on() {
        List<Future<LockHandle>> line = line(REQUEST.minHold(Duration.ofMillis(10)), REQUEST);
        time.pass(Duration.ofMillis(20));
        assertNotPassedOn(line);
    }

    /** It counts from the grant, so it needs a lease of its own. */
    @Test
    void lock_is_not_passed_on_to_a_caller_with_a_minimum_hold() {
        LockRequest minute = REQUEST.lease(Duration.ofMinutes(1));
        List<Future<LockHandle>> line = line(minute, minute.minHold(Duration.ofMinutes(1)));
        time.pass(Duration.ofMillis(20));

        get(line.get(0)).close();

        assertThat(get(line.get(1)).remaining()).isEqualTo(Duration.ofMinutes(1));
        assertThat(store.acquires).hasSize(1);
    }

    @Test
    void lease_that_was_extended_is_not_passed_on() {
        List<Future<LockHandle>> line = line(REQUEST, REQUEST);
        get(line.get(0)).extend(Duration.ofMinutes(1));
        assertNotPassedOn(line);
    }

    @Test
    void lease_of_which_half_is_left_is_passed_on() {
        renews = false;
        LockRequest brief = REQUEST.lease(Duration.ofMillis(120));
        List<Future<LockHandle>> line = line(brief, brief);
        LockHandle front = get(line.get(0));
        time.pass(front.remaining().minusMillis(60));

        front.close();

        assertThat(get(line.get(1)).remaining()).isEqualTo(Duration.ofMillis(60));
        assertThat(store.acquires).isEmpty();
    }

    @Test
    void lease_of_which_less_than_half_is_left_is_not_passed_on() {
        renews = false;
        LockRequest brief = REQUEST.lease(Duration.ofMillis(120));
        List<Future<LockHandle>> line = line(brief, brief);
        time.pass(get(line.get(0)).remaining().minusMillis(60).plusNanos(1));

        assertNotPassedOn(line);
    }

    @Test
    void lock_whose_acquisition_was_sent_twice_is_not_passed_on() {
        resends = true;
        assertNotPassedOn(line(REQUEST, REQUEST));
    }

    @Test
    void lock_that_is_about_to_be_shared_is_not_passed_on() {
        Writer line = writer();
        store.beforeNextCallHere(() -> {
            line.reader().close();
        });

        line.writer().close();

        assertThat(get(line.next()).isHeld()).isTrue();
        assertThat(others.tryAcquire(LockRequest.of(KEY).shared())).isEmpty();
    }

    private void assertNotPassedOn(List<Future<LockHandle>> line) {
        get(line.get(0)).close();
        LockHandle next = get(line.get(1));

        assertThat(store.releases).hasSize(1);
        assertThat(store.acquires).hasSize(1);
        assertThat(next.isHeld()).isTrue();
        next.close();
        eventually(this::isFree);
    }

    @Test
    void lost_lease_lets_the_next_thread_go_to_the_store() {
        List<Future<LockHandle>> line = line(REQUEST, REQUEST);
        LockHandle lost = get(line.get(0));
        time.pass(Duration.ofSeconds(30));
        assertThat(lost.isHeld()).isFalse();

        LockHandle next = get(line.get(1));

        assertThat(next.fencingToken()).isGreaterThan(lost.fencingToken());
        assertThatThrownBy(lost::close).isInstanceOf(LockLostException.class);
        assertThat(next.isHeld()).isTrue();
        eventually(() -> !store.leaves.isEmpty());
        assertThat(isFree()).isFalse();
    }

    @Test
    void lost_lease_is_not_passed_on() {
        List<Future<LockHandle>> line = line(REQUEST, REQUEST, REQUEST);
        LockHandle lost = get(line.get(0));
        time.pass(Duration.ofSeconds(30));
        assertThatThrownBy(lost::close).isInstanceOf(LockLostException.class);

        LockHandle next = get(line.get(1));

        assertThat(store.acquires).isNotEmpty();
        assertThat(line.get(2).isDone()).isFalse();
        passMicro();
        next.close();
        assertThat(get(line.get(2)).isHeld()).isTrue();
    }

    @Test
    void thread_that_wakes_up_after_the_lease_goes_to_the_store_instead() {
        LockHandle before = locks.acquire(REQUEST);
        Future<LockHandle> front = waiting(locks, REQUEST);
        Worker sleeper = worker();
        stalled = new CountDownLatch(1);
        slow = sleeper.thread();
        Future<LockHandle> handed = sleeper.acquire(locks, REQUEST.waitFor(Duration.ofHours(1)));
        eventually(() -> asleep);
        before.close();
        passMicro();
        LockHandle former = get(front);
        store.acquires.clear();
        passMicro();
        former.close();
        assertThat(store.acquires).isEmpty();
        time.pass(Duration.ofSeconds(30));

        stalled.countDown();

        LockHandle late = get(handed);
        assertThat(store.acquires).hasSize(1);
        assertThat(late.isHeld()).isTrue();
        assertThat(late.remaining()).isEqualTo(Duration.ofSeconds(30));
        assertThat(late.fencingToken()).isGreaterThan(former.fencingToken());
    }

    @Test
    void forced_release_that_nobody_hears_of_is_noticed_by_the_last_of_those_who_pass_the_lock_on() {
        unsubscribed = true;
        List<Future<LockHandle>> line = line(REQUEST, REQUEST);
        others.forceRelease(KEY);

        get(line.get(0)).close();
        LockHandle next = get(line.get(1));

        assertThatThrownBy(next::close).isInstanceOf(LockLostException.class);
        assertThat(locks.acquire(KEY).isHeld()).isTrue();
    }

    @Test
    void forced_release_that_is_noticed_lets_the_next_thread_go_to_the_store() {
        LockHandle front = locks.acquire(KEY);
        Future<LockHandle> next = waiting(locks, REQUEST);
        others.forceRelease(KEY);

        assertThatThrownBy(front::close).isInstanceOf(LockLostException.class);

        assertThat(get(next).isHeld()).isTrue();
    }

    @Test
    void another_client_is_let_in_after_64_further_threads() {
        LockRequest[] requests = new LockRequest[68];
        Arrays.fill(requests, REQUEST);
        List<Future<LockHandle>> line = line(requests);
        Future<LockHandle> other = waiting(others, REQUEST);
        for (int i = 0; i < 64; i++) {
            passMicro();
            get(line.get(i)).close();
            assertThat(get(line.get(i + 1)).isHeld()).isTrue();
            assertThat(other.isDone()).isFalse();
        }
        passMicro();
        get(line.get(64)).close();

        LockHandle let = get(other);

        assertThat(let.isHeld()).isTrue();
        assertThat(line.get(65).isDone()).isFalse();
        let.close();
        assertThat(get(line.get(65)).isHeld()).isTrue();
    }

    @Test
    void fair_thread_of_another_client_is_let_in_at_once() {
        List<Future<LockHandle>> line = line(REQUEST, REQUEST);
        Future<LockHandle> other = waiting(others, REQUEST.fair(true));

        get(line.get(0)).close();

        assertThat(get(other).isHeld()).isTrue();
        assertThat(line.get(1).isDone()).isFalse();
    }

    @Test
    void fair_threads_of_one_client_have_an_entry_each() {
        LockRequest fair = REQUEST.fair(true);
        LockHandle front = locks.acquire(fair);
        Future<LockHandle> second = waiting(locks, fair);
        Future<LockHandle> other = waiting(others, fair);
        Future<LockHandle> third = waiting(locks, fair);
        eventually(() -> waiters() == 3);

        front.close();
        get(second).close();
        LockHandle let = get(other);
        assertThat(third.isDone()).isFalse();
        let.close();

        assertThat(get(third).isHeld()).isTrue();
    }

    @Test
    void handoff_that_meets_an_interrupt_loses_nothing() {
        Worker interrupted = worker();
        Worker patient = worker();
        Worker front = worker();
        for (int i = 0; i < RACES; i++) {
            LockHandle before = locks.acquire(REQUEST);
            Future<LockHandle> first = waiting(front, locks, REQUEST);
            Future<LockHandle> second = waiting(interrupted, locks, REQUEST);
            Future<LockHandle> third = waiting(patient, locks, REQUEST);
            before.close();
            LockHandle held = get(first);
            passMicro();

            Thread close = new Thread(held::close);
            close.start();
            interrupted.interrupt();
            long token = closeUnlessInterrupted(interrupted, second, third);

            LockHandle last = get(third);
            assertThat(last.fencingToken()).isGreaterThan(Math.max(token, held.fencingToken()));
            assertThat(last.isHeld()).isTrue();
            last.close();
            join(close);
            eventually(() -> locks.held().isEmpty());
        }
        assertThat(isFree()).isTrue();
        assertThat(waiters()).isZero();
    }

    /** Returns the token, if the lock was taken all the same; the one behind has to wait until then. */
    private long closeUnlessInterrupted(Worker worker, Future<LockHandle> handle, Future<LockHandle> behind) {
        LockHandle taken;
        try {
            taken = get(handle);
        } catch (IllegalStateException e) {
            assertThat(e).hasCauseInstanceOf(LockInterruptedException.class);
            assertThat(worker.keptInterrupt()).isTrue();
            return 0;
        }
        assertThat(taken.isHeld()).isTrue();
        assertThat(behind.isDone()).isFalse();
        passMicro();
        taken.close();
        return taken.fencingToken();
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void lock_of_a_thread_in_the_line_is_refused_to_others_who_try() {
        List<Future<LockHandle>> line = line(REQUEST, REQUEST);
        assertThat(locks.tryAcquire(KEY)).isEmpty();
        get(line.get(0)).close();
        get(line.get(1));

        assertThat(locks.tryAcquire(KEY)).isEmpty();
        assertThat(others.tryAcquire(KEY)).isEmpty();
        assertThat(store.inspect(LockKey.of(KEY)).waiters()).isZero();
    }

    @Test
    void writer_that_goes_on_as_a_reader_lets_the_next_thread_go_to_the_store() {
        Writer line = writer();
        store.acquires.clear();

        line.writer().close();

        eventually(() -> store.acquires.size() == 1);
        line.reader().close();
        assertThat(get(line.next()).isHeld()).isTrue();
    }
}
