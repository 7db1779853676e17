package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Messages that grant a lock which another client holds, written by somebody who knows everything about the waiter; and the
 * store's clock that jumps before a true one.
 */
class ForgedMessagesTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final Duration STEP = Duration.ofMillis(10);
    private static final Duration FREED_AFTER = Duration.ofSeconds(5);
    private static final Duration MESSAGE_AFTER = Duration.ofMillis(300);
    private static final Waiters NONE = Waiters.NONE;

    private final FakeTicker time = new FakeTicker();
    private final AtomicLong jumped = new AtomicLong();
    private final InMemoryLockStore memory = new InMemoryLockStore(() -> time.nanos() + jumped.get(), time);
    private final OwnerId holder = new OwnerId("holder", 1);
    private WakeListener listener;

    private final StoreSpy store = new StoreSpy(memory) {
        @Override
        public Listening listen(String clientId, WakeListener received) {
            listener = received;
            return super.listen(clientId, received);
        }
    };

    private interface Forgery {
        Reservation at(long nowMicros);
    }

    /** Waits until the lock is free, while something happens once, a little before. */
    private LockHandle acquireWhile(Runnable once) {
        long start = time.nanos();
        boolean[] done = new boolean[2];
        LockEngine[] engine = new LockEngine[1];
        engine[0] = VirtualTime.builder(store)
                .ticker(time)
                .pause(nanos -> {
                    time.pass(Duration.ofNanos(Math.min(nanos, STEP.toNanos())));
                    Duration passed = Duration.ofNanos(time.nanos() - start);
                    if (!done[0] && passed.compareTo(MESSAGE_AFTER) >= 0) {
                        done[0] = true;
                        once.run();
                    }
                    if (!done[1] && passed.compareTo(FREED_AFTER) >= 0) {
                        done[1] = true;
                        memory.release(new ReleaseRequest(KEY, holder));
                    }
                    VirtualTime.keepEntries(engine[0]);
                })
                .build();
        return engine[0].acquire(LockRequest.of(KEY.value()).waitFor(Duration.ofMinutes(1)));
    }

    private void hold() {
        assertThat(memory.acquire(Requests.exclusive(KEY, holder, 60_000, new HolderInfo("host", 1, "t"), false)))
                .isInstanceOf(AcquireReply.Granted.class);
    }

    private AcquireRequest lastAsked() {
        return store.acquires.get(store.acquires.size() - 1);
    }

    private long nowMicros() {
        OwnerId nobody = new OwnerId("nobody", 1);
        AcquireReply reply =
                memory.acquire(Requests.exclusive(KEY, nobody, 60_000, new HolderInfo("host", 1, "t"), false));
        return ((AcquireReply.Held) reply).storeMicros();
    }

    static Stream<Forgery> forgeries() {
        long hour = 3_600_000_000L;
        return Stream.of(
                now -> new Reservation(now, 1, NONE, now, now + hour),
                now -> new Reservation(now + hour, 1, NONE, now + hour, now + hour + 1_000_000),
                now -> new Reservation(now + hour, 1, NONE, now, now + 1_000_000),
                now -> new Reservation(Long.MAX_VALUE, 1, NONE, now, now + 1_000_000),
                now -> new Reservation(now - hour, 1, NONE, now, now + 1_000_000),
                now -> new Reservation(now, Long.MAX_VALUE, NONE, now, now + 1_000_000),
                now -> new Reservation(now, 1, NONE, now - hour, now + 1_000_000));
    }

    @ParameterizedTest
    @MethodSource("forgeries")
    void forged_grant_makes_no_second_holder_and_the_waiter_gets_its_turn(Forgery forgery) {
        hold();

        LockHandle handle =
                acquireWhile(() -> listener.granted(lastAsked().owner().sequence(), forgery.at(nowMicros())));

        assertThat(memory.inspect(KEY).holder().orElseThrow().clientId())
                .isEqualTo(lastAsked().owner().clientId());
        assertThat(handle.fencingToken()).isEqualTo(memory.inspect(KEY).lastFencingToken());
        assertThat(handle.remaining()).isLessThanOrEqualTo(LockStore.RESERVATION);
        handle.close();
    }

    @Test
    void grant_of_another_acquisition_wakes_nobody() {
        hold();

        LockHandle handle = acquireWhile(() -> {
            long now = nowMicros();
            listener.granted(lastAsked().owner().sequence() + 1, new Reservation(now, 1, NONE, now, now + 1_000_000));
        });

        assertThat(store.acquires).hasSize(1);
        handle.close();
    }

    @Test
    void clock_that_jumps_a_minute_forward_just_before_the_hand_over_makes_no_deadline_later() {
        hold();

        LockHandle handle = acquireWhile(() -> {
            jumped.set(Duration.ofMinutes(1).minusSeconds(20).toNanos());
            memory.release(new ReleaseRequest(KEY, holder));
        });

        assertThat(handle.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(30));
        assertThat(memory.inspect(KEY).holder().orElseThrow().remaining()).isGreaterThanOrEqualTo(handle.remaining());
        handle.close();
    }
}
