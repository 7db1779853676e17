package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.HintFaults;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client stands still for two and a half seconds, at every moment from long before the lock is handed to it until it has
 * confirmed that. It loses neither its place nor the lock. On virtual time: what it would hear meanwhile it hears afterwards.
 */
class PausedClientTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final Duration PAUSE = Duration.ofMillis(2_500);
    private static final Duration FREED_AT = Duration.ofSeconds(5);
    private static final Duration STEP = Duration.ofMillis(10);
    private static final Duration POLL = Duration.ofMillis(500);
    private static final HolderInfo NOWHERE = new HolderInfo("host", 1, "thread");

    /** One that waits as clients do, and holds the lock for a moment. */
    private static final class Neighbour {
        final OwnerId owner;
        final Duration polls;
        boolean served;

        Neighbour(String name, int pollsMillis) {
            this.owner = new OwnerId(name, 1);
            this.polls = Duration.ofMillis(pollsMillis);
        }
    }

    /** A holder, a neighbour in front, the client, and a neighbour behind it. */
    private static final class Scene {
        final FakeTicker time = new FakeTicker();
        final long start = time.nanos();
        final InMemoryLockStore memory = new InMemoryLockStore(time, time);
        final OwnerId holder = new OwnerId("holder", 1);
        final Neighbour before = new Neighbour("before", 130);
        final Neighbour behind = new Neighbour("behind", 370);
        final List<Runnable> undelivered = new ArrayList<>();
        final CountDownLatch resumed = new CountDownLatch(1);
        final Duration pauseAt;
        LockEngine engine;
        volatile boolean paused;
        boolean wasPaused;
        boolean freed;

        private final StoreSpy pausing = new StoreSpy(memory) {
            @Override
            public List<RenewReply> renew(List<RenewRequest> requests) {
                if (paused) {
                    await(resumed);
                }
                return super.renew(requests);
            }
        };

        final HintFaults store = new HintFaults(pausing, this::undelivered);

        Scene(Duration pauseAt) {
            this.pauseAt = pauseAt;
        }

        private synchronized void undelivered(Runnable hint) {
            undelivered.add(hint);
        }

        private synchronized List<Runnable> takeUnheard() {
            List<Runnable> taken = List.copyOf(undelivered);
            undelivered.clear();
            return taken;
        }

        private static void await(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        Duration now() {
            return Duration.ofNanos(time.nanos() - start);
        }

        void ask(OwnerId owner, boolean waiting) {
            memory.acquire(new AcquireRequest(
                    KEY, owner, 60_000, NOWHERE, AcquireRequest.EXCLUSIVE, 1, false, waiting, 1, 0, false));
        }

        /** The thread that keeps entries is no match for the time here; the waiting thread does its work. */
        private long nanosSeen() {
            return Thread.currentThread().getName().equals("holdfast-queue") ? start - 1 : time.nanos();
        }

        LockHandle acquire(LockRequest request, boolean second) {
            ask(holder, false);
            if (second) {
                ask(before.owner, true);
            } else {
                before.served = true;
            }
            boolean[] queued = new boolean[1];
            engine = LockEngine.builder(store)
                    .ticker(this::nanosSeen)
                    .pause(nanos -> {
                        if (!queued[0]) {
                            queued[0] = true;
                            ask(behind.owner, true);
                        }
                        step();
                        pauseIfDue();
                    })
                    .build();
            return engine.acquire(request.waitFor(Duration.ofMinutes(1)));
        }

        void pauseIfDue() {
            if (!wasPaused && now().compareTo(pauseAt) >= 0) {
                wasPaused = true;
                paused = true;
                for (Duration end = now().plus(PAUSE); now().compareTo(end) < 0; ) {
                    step();
                }
                paused = false;
                resumed.countDown();
            }
        }

        void step() {
            time.pass(STEP);
            if (!freed && now().compareTo(FREED_AT) >= 0) {
                freed = true;
                memory.release(new ReleaseRequest(KEY, holder));
            }
            poll(before);
            poll(behind);
            if (!paused) {
                takeUnheard().forEach(Runnable::run);
                VirtualTime.keepEntries(engine);
            }
        }

        private void poll(Neighbour neighbour) {
            boolean due = now().minus(neighbour.polls).toMillis() % POLL.toMillis() < STEP.toMillis();
            if (!neighbour.served && due) {
                EntryReply reply = memory.keepEntries(List.of(Requests.entries(KEY, List.of(neighbour.owner))))
                        .get(0);
                if (((EntryReply.Kept) reply).called().contains(neighbour.owner)) {
                    neighbour.served = true;
                    memory.release(new ReleaseRequest(KEY, neighbour.owner));
                }
            }
        }
    }

    static Stream<Arguments> kinds() {
        LockRequest request = LockRequest.of(KEY.value());
        return Stream.of(request, request.fair(true), request.shared(2), request.renew(false))
                .flatMap(kind -> Stream.of(Arguments.of(kind, false), Arguments.of(kind, true)));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void pause_at_any_moment_around_a_hand_over_costs_nothing(LockRequest request, boolean second) {
        IntStream.rangeClosed(0, 30)
                .mapToObj(i -> FREED_AT.minusMillis(2_600).plusMillis(100L * i))
                .forEach(pauseAt -> {
                    Scene scene = new Scene(pauseAt);
                    LockHandle handle = scene.acquire(request, second);
                    String moment = "paused at " + pauseAt;
                    assertThat(scene.behind.served).as(moment).isFalse();
                    for (int i = 0; i < 10; i++) {
                        scene.step();
                        scene.pauseIfDue();
                    }
                    scene.resumed.countDown();

                    String client = scene.store.acquires.get(0).owner().clientId();
                    Awaitility.await(moment)
                            .pollDelay(Duration.ZERO)
                            .pollInterval(Duration.ofMillis(2))
                            .until(() -> scene.memory.inspect(KEY).holders().stream()
                                    .anyMatch(holder -> holder.clientId().equals(client)
                                            && holder.remaining().toSeconds() >= 20));
                    assertThat(handle.isHeld()).as(moment).isTrue();
                    assertThat(scene.behind.served).as(moment).isFalse();
                    handle.close();
                    scene.engine.close();
                });
    }
}
