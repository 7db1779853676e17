package io.holdfast.lock.engine.client;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.testing.CapturedLog;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CleanupTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private static final LockKey ELSEWHERE = LockKey.of("elsewhere");

    private Duration longestDelay = Duration.ZERO;

    private final StoreSpy store = new StoreSpy(new InMemoryLockStore()) {
        @Override
        public String serverOf(LockKey key) {
            return key.value();
        }

        @Override
        public Duration longestDelay() {
            return longestDelay;
        }
    };
    private static final long BLOCK = 60_000_000;

    private final Cleanup cleanup = new Cleanup(store);

    private static OwnerId owner(long sequence) {
        return new OwnerId("client", sequence);
    }

    /** Else a store that hangs for long would be asked, one command timeout each, for all that has ended meanwhile. */
    @Test
    void what_has_ended_by_itself_while_the_store_hung_is_not_tidied_any_more() throws Exception {
        assertThat(undoneAfterHanging()).containsExactly(owner(1), owner(3));
    }

    /** A server that stood still for longer than a short lease reads the acquisition when it continues. */
    @Test
    void acquisition_that_may_still_arrive_is_undone_after_its_lease() throws Exception {
        longestDelay = Duration.ofHours(1);
        assertThat(undoneAfterHanging()).containsExactly(owner(1), owner(2), owner(3));
    }

    /** The lease of the second one ends while the store hangs. */
    private List<OwnerId> undoneAfterHanging() throws InterruptedException {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        store.before = () -> {
            hanging.countDown();
            await(answer);
        };
        cleanup.leave(KEY, owner(1), MINUTE);
        hanging.await();
        cleanup.leave(KEY, owner(2), 1);
        cleanup.leave(KEY, owner(3), MINUTE);

        answer.countDown();
        Awaitility.await().until(() -> store.leaves.contains(owner(3)));
        cleanup.close();
        return store.leaves;
    }

    /** Threads of the holder's client may have had any of its tokens; an acquisition that failed had none. */
    @Test
    void tokens_that_were_reserved_are_given_back_by_who_never_held_the_lock() {
        long first = grantedTokens(owner(1));
        cleanup.leave(KEY, owner(1), MINUTE);
        Awaitility.await().until(() -> store.inspect(KEY).lastFencingToken() == first - 1);

        long second = grantedTokens(owner(2));
        cleanup.leave(KEY, owner(2), 0);
        Awaitility.await().until(() -> store.inspect(KEY).lastFencingToken() == second - 1);

        long third = grantedTokens(owner(3));
        new ClientContext(store, cleanup, Ticker.SYSTEM, false, "client").leave(KEY, owner(3), 0);
        assertThat(store.inspect(KEY).lastFencingToken()).isEqualTo(third - 1);

        long fourth = grantedTokens(owner(4));
        cleanup.undoHold(KEY, owner(4), MINUTE);
        Awaitility.await().until(() -> store.inspect(KEY).holders().isEmpty());
        assertThat(store.inspect(KEY).lastFencingToken()).isEqualTo(fourth + BLOCK - 1);
    }

    private long grantedTokens(OwnerId owner) {
        AcquireReply reply = store.acquire(new AcquireRequest(
                KEY,
                owner,
                60_000,
                new HolderInfo("web-1", 1, "main"),
                AcquireRequest.EXCLUSIVE,
                1,
                false,
                false,
                BLOCK,
                0,
                false));
        return ((AcquireReply.Granted) reply).token();
    }

    @Test
    void server_that_hangs_delays_nothing_on_another_one() {
        CountDownLatch answer = new CountDownLatch(1);
        StoreSpy hanging = new StoreSpy(store) {
            @Override
            public void leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastFencingToken) {
                if (key.equals(KEY)) {
                    await(answer);
                }
                super.leave(key, owner, cancelledFor, lastFencingToken);
            }
        };
        Cleanup both = new Cleanup(hanging);
        both.leave(KEY, owner(1), MINUTE);

        both.leave(ELSEWHERE, owner(2), MINUTE);

        Awaitility.await().until(() -> hanging.leaves.contains(owner(2)));
        assertThat(hanging.leaves).doesNotContain(owner(1));
        answer.countDown();
        Awaitility.await().until(() -> hanging.leaves.contains(owner(1)));
        both.close();
    }

    /** Else each failure adds commands, and a sick server gets the more of them the more of them fail. */
    @Test
    void server_that_fails_is_asked_no_more_often_however_much_is_waiting() throws Exception {
        store.reachable(false);
        long start = System.nanoTime();
        for (int i = 0; i < 1000; i++) {
            cleanup.leave(KEY, owner(i), MINUTE);
        }

        Thread.sleep(500);
        Awaitility.await().until(() -> !store.leaves.isEmpty());

        int sent = store.leaves.size();
        long slots = Duration.ofNanos(System.nanoTime() - start).toMillis() / 37 + 2;
        assertThat(sent).isBetween(1, (int) slots);
        store.reachable(true);
        Awaitility.await().until(() -> Set.copyOf(store.leaves).size() == 1000);
        assertThat(store.leaves).hasSizeLessThan(1000 + 2 * sent + 10);
    }

    @Test
    void lock_that_is_broken_does_not_keep_others_of_its_server_from_being_tidied() {
        StoreSpy one = new StoreSpy(new InMemoryLockStore()) {
            @Override
            public void leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastFencingToken) {
                super.leave(key, owner, cancelledFor, lastFencingToken);
                if (key.equals(KEY)) {
                    throw new LockStoreException("WRONGTYPE (on purpose)", null, false);
                }
            }
        };
        Cleanup tidying = new Cleanup(one);
        tidying.leave(KEY, owner(1), MINUTE);

        tidying.leave(ELSEWHERE, owner(2), MINUTE);

        Awaitility.await().until(() -> one.leaves.contains(owner(2)));
        tidying.close();
    }

    /** Warns each time anew, but only of the first one that is dropped. */
    @Test
    void what_is_waiting_to_be_tidied_is_bounded() throws Exception {
        Semaphore begun = new Semaphore(0);
        Semaphore answers = new Semaphore(0);
        AtomicInteger left = new AtomicInteger();
        Cleanup full = new Cleanup(new StoreSpy(store) {
            @Override
            public void leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastFencingToken) {
                begun.release();
                answers.acquireUninterruptibly();
                left.incrementAndGet();
            }
        });
        try (CapturedLog log = new CapturedLog(Cleanup.class.getName(), Level.WARN)) {
            for (int round = 1; round <= 2; round++) {
                for (int i = 0; i < Cleanup.MAX_WAITING + 100; i++) {
                    full.leave(KEY, owner(i), MINUTE);
                }
                begun.acquire();

                answers.release(Cleanup.MAX_WAITING);

                int expected = round * Cleanup.MAX_WAITING;
                begun.acquire(Cleanup.MAX_WAITING - 1);
                Awaitility.await().until(() -> left.get() == expected);
                full.leave(KEY, owner(0), MINUTE);
                answers.release();
                begun.acquire();
                Awaitility.await().until(() -> left.getAndSet(expected) == expected + 1);
                assertThat(log.events()).hasSize(round);
            }
        }
        full.close();
        assertThat(left).hasValue(2 * Cleanup.MAX_WAITING);
    }

    @Test
    void failure_that_nobody_expects_is_logged_once() {
        AtomicInteger failures = new AtomicInteger(3);
        store.before = () -> {
            if (failures.getAndDecrement() > 0) {
                throw new IllegalStateException("on purpose");
            }
        };
        try (CapturedLog log = new CapturedLog(Cleanup.class.getName(), Level.WARN)) {
            cleanup.leave(KEY, owner(1), MINUTE);

            Awaitility.await().until(() -> failures.get() < 0);
            assertThat(log.events())
                    .singleElement()
                    .satisfies(event ->
                            assertThat(event.getFormattedMessage()).startsWith("Failed to clean up lock 'order:42'"));
        }
        cleanup.close();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void caller_releases_the_lock_itself_once_the_client_is_closed() {
        cleanup.close();

        cleanup.release(KEY, () -> new ReleaseRequest(KEY, owner(1)), MINUTE);
        assertThat(store.releases).hasSize(1);
    }

    /** Else a server that hangs would be called on, one command timeout each, by a client that is closed. */
    @Test
    void what_is_left_when_the_client_has_closed_is_dropped_also_if_it_was_taken_already() throws Exception {
        Semaphore begun = new Semaphore(0);
        Semaphore answers = new Semaphore(0);
        store.before = () -> {
            begun.release();
            answers.acquireUninterruptibly();
        };
        cleanup.leave(KEY, owner(1), MINUTE);
        begun.acquire();
        cleanup.leave(KEY, owner(2), MINUTE);
        cleanup.leave(KEY, owner(3), MINUTE);
        answers.release();
        begun.acquire();

        cleanup.close();
        answers.release(2);

        cleanup.close(); // returns when the worker has ended
        assertThat(store.leaves).containsExactly(owner(1), owner(2));
    }

    @Test
    void shutdown_without_redis_counts_the_locks_that_were_held() {
        store.reachable(false);
        cleanup.leave(KEY, owner(1), MINUTE);
        cleanup.leave(KEY, owner(2), 0);
        cleanup.release(KEY, () -> new ReleaseRequest(KEY, owner(4)), MINUTE);
        cleanup.undoHold(ELSEWHERE, owner(5), MINUTE);

        assertThat(warningsOfClose())
                .containsExactly("Redis did not respond in time during shutdown; 2 lock(s) will expire at the end of"
                        + " their leases");
    }

    /** The client is closed while a task fails: it is not run again, nor are those behind it run twice. */
    @Test
    void tasks_that_wait_when_the_client_is_closed_run_once_at_most() throws Exception {
        Thread closing = new Thread(cleanup::close);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch all = new CountDownLatch(1);
        store.before = () -> {
            if (begun.getCount() > 0) {
                begun.countDown();
                await(all);
                closing.start();
                var unused = NewThread.stateAtRest(closing);
            }
            throw StoreSpy.unreachable();
        };
        cleanup.leave(KEY, owner(1), MINUTE);
        begun.await();
        cleanup.leave(KEY, owner(2), MINUTE);
        cleanup.leave(KEY, owner(3), MINUTE);

        all.countDown();
        closing.join();

        assertThat(store.leaves).contains(owner(1)).doesNotHaveDuplicates();
    }

    @Test
    void shutdown_without_redis_is_silent_if_no_lock_was_held() {
        store.reachable(false);
        cleanup.leave(KEY, owner(1), MINUTE);
        cleanup.leave(KEY, owner(2), 0);

        assertThat(warningsOfClose()).isEmpty();
    }

    @Test
    void releases_that_got_through_are_not_counted_at_shutdown() {
        cleanup.release(KEY, () -> new ReleaseRequest(KEY, owner(1)), MINUTE);
        Awaitility.await().until(() -> !store.releases.isEmpty());
        store.reachable(false);
        cleanup.leave(KEY, owner(2), MINUTE);

        assertThat(warningsOfClose()).isEmpty();
    }

    private List<String> warningsOfClose() {
        try (CapturedLog log = new CapturedLog(Cleanup.class.getName(), Level.WARN)) {
            cleanup.close();
            return log.events().stream().map(ILoggingEvent::getFormattedMessage).toList();
        }
    }
}
