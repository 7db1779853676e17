package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.HintFaults;
import io.holdfast.lock.testing.Requests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Several clients in a row die while they wait, each at any moment, some just before it would be its turn. On virtual
 * time, so the bound is exact: the one behind them waits no longer for them all than is promised.
 */
class DeadWaitersTest {

    private static final Duration PROMISED = Duration.ofMillis(3500);
    private static final Duration STEP = Duration.ofMillis(10);
    private static final Duration POLL = Duration.ofMillis(500);
    private static final String KEY = "order:42";
    private static final LockKey LOCK = LockKey.of(KEY);
    private static final HolderInfo NOWHERE = new HolderInfo("host", 1, "thread");
    private static final int SEEDS = 200;

    /** A client that keeps its entry as clients do, until it dies. */
    private record Mortal(OwnerId owner, Duration death, Duration pollsAt) {}

    /** One holder, some clients that die before the lock comes free, and one that goes on waiting. */
    private static final class Scene {
        final Thread waiter = Thread.currentThread();
        final Random random;
        final FakeTicker time = new FakeTicker();
        final long start = time.nanos();
        final AtomicLong steppedBack = new AtomicLong();
        final InMemoryLockStore store = new InMemoryLockStore(() -> time.nanos() - steppedBack.get(), time);
        final OwnerId holder = new OwnerId("holder", 1);
        final Duration freeAt;
        final boolean holderDies;
        final List<Mortal> mortals = new ArrayList<>();
        boolean free;

        /** By how much the store's clock goes back in the moment in which the lock comes free, when some have just died. */
        Duration step = Duration.ZERO;

        Scene(long seed, boolean holderDies) {
            this.random = new Random(seed);
            this.holderDies = holderDies;
            this.freeAt = steps(100 + random.nextInt(400));
            long leaseMillis = holderDies ? freeAt.toMillis() : 60_000;
            store.acquire(request(holder, leaseMillis, AcquireRequest.EXCLUSIVE, false));
        }

        private AcquireRequest request(OwnerId owner, long leaseMillis, int limit, boolean waiting) {
            return new AcquireRequest(
                    LOCK, owner, leaseMillis, NOWHERE, limit, 1, random.nextBoolean(), waiting, 1, 0, false);
        }

        /** Half of them die in the very moment in which the lock comes free. */
        void entry(int clients) {
            for (int i = 1; i <= clients; i++) {
                OwnerId owner = new OwnerId("mortal" + i, i);
                store.acquire(request(owner, 30_000, random.nextInt(3), true));
                Duration death = random.nextBoolean() ? freeAt : steps(random.nextInt((int) freeAt.dividedBy(STEP)));
                mortals.add(new Mortal(owner, death, steps(random.nextInt(50))));
            }
        }

        private static Duration steps(int count) {
            return STEP.multipliedBy(count);
        }

        Duration now() {
            return Duration.ofNanos(time.nanos() - start);
        }

        void pass(long nanos) {
            time.pass(Duration.ofNanos(Math.min(nanos, STEP.toNanos())));
            Duration now = now();
            for (Mortal mortal : mortals) {
                boolean polls = now.minus(mortal.pollsAt()).toMillis() % POLL.toMillis() < STEP.toMillis();
                if (now.compareTo(mortal.death()) <= 0 && (polls || now.equals(mortal.death()))) {
                    store.keepEntries(List.of(Requests.entries(LOCK, List.of(mortal.owner()))));
                }
            }
            if (!free && now.compareTo(freeAt) >= 0) {
                free = true;
                steppedBack.set(step.toNanos());
                if (!holderDies) {
                    store.release(new ReleaseRequest(LOCK, holder));
                }
            }
        }

        /** Time passes for the waiting thread alone: the client's own threads are no match for a minute in a millisecond. */
        private long nanosSeen() {
            return Thread.currentThread() == waiter ? time.nanos() : start - 1;
        }

        Duration waitBehindThem(LockStore seen, LockRequest request) {
            LockEngine[] locks = new LockEngine[1];
            try (LockEngine engine = LockEngine.builder(seen)
                    .ticker(this::nanosSeen)
                    .pause(nanos -> {
                        pass(nanos);
                        VirtualTime.keepEntries(locks[0]);
                    })
                    .build()) {
                locks[0] = engine;
                try (LockHandle handle = engine.acquire(request)) {
                    assertThat(handle.isHeld()).isTrue();
                    return now().minus(freeAt);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void dead_waiters_of_several_clients_delay_the_next_one_by_three_and_a_half_seconds_together(
            boolean holderDies, boolean hintsAreLost) {
        long first = Long.getLong("dead.seed", System.nanoTime());
        LongStream.range(first, first + SEEDS).forEach(seed -> {
            Scene scene = new Scene(seed, holderDies);
            scene.entry(1 + scene.random.nextInt(6));
            LockStore seen = hintsAreLost ? new HintFaults(scene.store, hint -> {}) : scene.store;

            Duration waited = scene.waitBehindThem(seen, anyKind(scene.random));

            assertThat(waited).as("seed " + seed + " (-Ddead.seed)").isBetween(Duration.ZERO, PROMISED);
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void dead_waiters_delay_the_next_one_by_a_heartbeat_more_after_the_clock_went_back(boolean hintsAreLost) {
        long first = Long.getLong("dead.seed", System.nanoTime());
        LongStream.range(first, first + SEEDS).forEach(seed -> {
            Scene scene = new Scene(seed, false);
            scene.step = Duration.ofSeconds(List.of(1, 60, 3600).get(scene.random.nextInt(3)));
            scene.entry(1 + scene.random.nextInt(6));
            LockStore seen = hintsAreLost ? new HintFaults(scene.store, hint -> {}) : scene.store;

            Duration waited = scene.waitBehindThem(seen, anyKind(scene.random));

            assertThat(waited).as("seed " + seed + " (-Ddead.seed)").isBetween(Duration.ZERO, PROMISED.plus(POLL));
        });
    }

    private static LockRequest anyKind(Random random) {
        LockRequest request = LockRequest.of(KEY).waitFor(Duration.ofMinutes(1));
        return switch (random.nextInt(3)) {
            case 0 -> request;
            case 1 -> request.fair(true);
            default -> request.shared();
        };
    }
}
