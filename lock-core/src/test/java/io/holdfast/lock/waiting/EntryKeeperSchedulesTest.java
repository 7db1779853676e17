package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.Interleaving;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.StoreSpy;
import io.holdfast.lock.threads.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The entries of a client on virtual time: threads line up, look, and give up, the keeper polls, polls fail or their answers
 * are lost, messages of the store arrive late or never, the subscription is cut, and the store's clock is stepped. Drawn
 * schedules of that are explored; threads change places at calls of the store and of the clock. Forbidden: a waiter that
 * polls alone never get the lock for; an entry that is polled although its waiter has left; a claim to a lock that the
 * store keeps for somebody else; a waiter that a closed client does not wake.
 *
 * <p>Not by Lincheck: with {@link EntryKeeper} and what it uses under its control, an interleaving takes more than 100 ms of
 * processor time.
 */
class EntryKeeperSchedulesTest {

    private static final List<LockKey> KEYS = List.of(LockKey.of("one"), LockKey.of("other"));
    private static final OwnerId FORMER = new OwnerId("former", 1);
    private static final HolderInfo NOWHERE = new HolderInfo("host", 1, "thread");
    private static final long LEASE_MILLIS = 60_000;
    private static final Duration POLL = Duration.ofMillis(200);

    /** The mutation profile runs them for each mutant. */
    private static final int FEW = Integer.getInteger("schedules", 1_000);

    @Test
    void whoever_waits_gets_on_and_nothing_is_left() {
        explore(0, FEW);
    }

    @Test
    @Tag("full")
    void whoever_waits_gets_on_and_nothing_is_left_in_more_schedules() {
        explore(FEW, 10_000);
    }

    private static void explore(int from, int to) {
        IntStream.range(from, to).forEach(seed -> new Run(seed).explore());
    }

    /** One schedule. */
    private static final class Run {

        private static final int THREADS = 3;
        private static final int MAX_POLLS = 40;

        private final long seed;
        private final Interleaving schedule;
        private final boolean stepsClock;
        private final Server server = new Server();
        private final EntryKeeper keeper;
        private final List<QueueEntry> waiting = new ArrayList<>();
        private long nanos;
        private long aheadNanos;
        private long sequences;
        private boolean closed;

        Run(long seed) {
            this.seed = seed;
            this.schedule = new Interleaving(seed, () -> Thread.holdsLock(keeper()));
            this.stepsClock = schedule.draw(2) == 0;
            this.keeper = new EntryKeeper(server, "c", this::nanos, false, sequence -> {});
        }

        private EntryKeeper keeper() {
            return keeper;
        }

        private long nanos() {
            schedule.step("the time");
            return nanos;
        }

        private void pass(Duration time) {
            nanos += time.toNanos();
        }

        void explore() {
            try {
                KEYS.forEach(
                        key -> server.store.acquire(Requests.exclusive(key, FORMER, LEASE_MILLIS, NOWHERE, false)));
                for (int i = 0; i < THREADS; i++) {
                    schedule.add("waiter " + i, this::acquireAndGiveUp);
                }
                schedule.add("keeper", () -> often(4, this::tick));
                schedule.add("subscription", () -> often(6, this::hear));
                schedule.add("world", () -> often(4, this::happen));
                schedule.run();
                if (closed) {
                    everybodyIsWoken();
                } else {
                    everybodyGetsOn();
                }
            } catch (RuntimeException | Error e) {
                throw new AssertionError("Seed " + seed + schedule.trace(), e);
            }
        }

        /** Mostly the same one. */
        private LockKey anyKey() {
            return KEYS.get(schedule.draw(4) / 3);
        }

        private void often(int most, Runnable action) {
            for (int i = schedule.draw(most + 1); i > 0; i--) {
                action.run();
            }
        }

        /** Two acquisitions, the last of which may go on waiting. */
        private void acquireAndGiveUp() {
            for (int i = 0; i < 2; i++) {
                QueueEntry entry = lineUp();
                if (entry == null) {
                    return;
                }
                boolean held = ask(entry);
                for (int looks = schedule.draw(4); looks > 0 && !held; looks--) {
                    schedule.step("a look");
                    held = isCalled(entry) && ask(entry);
                }
                if (held || i == 0 || schedule.draw(2) == 0) {
                    leave(entry);
                }
            }
        }

        private @Nullable QueueEntry lineUp() {
            try {
                QueueEntry entry = keeper.open(anyKey(), new OwnerId("c", ++sequences));
                waiting.add(entry);
                return entry;
            } catch (IllegalStateException e) {
                assertThat(closed).isTrue();
                return null;
            }
        }

        /** Returns whether the lock is granted. */
        private boolean ask(QueueEntry entry) {
            entry.rearm();
            long askedAt = nanos();
            AcquireReply reply =
                    server.acquire(Requests.exclusive(entry.key, entry.owner, LEASE_MILLIS, NOWHERE, true));
            if (reply instanceof AcquireReply.Held held) {
                keeper.taken(entry, askedAt, held);
            } else {
                entry.answered(true);
            }
            return reply instanceof AcquireReply.Granted;
        }

        private void leave(QueueEntry entry) {
            keeper.giveUp(entry);
            waiting.remove(entry);
            server.leave(entry.key, entry.owner, Duration.ZERO, ReleaseRequest.NO_TOKEN);
        }

        /** Whether a thread that waits for the entry would go on. */
        private boolean isCalled(QueueEntry entry) {
            believesWhatIsTrue(entry);
            try {
                Parked.await(entry, Budget.of(() -> 0, 1).tolerating(1), STOP_WAITING, true);
                return true;
            } catch (InterruptedException e) {
                return false;
            } catch (IllegalStateException e) {
                assertThat(closed).isTrue();
                return false;
            }
        }

        private void believesWhatIsTrue(QueueEntry entry) {
            QueueEntry.Grant claim = entry.claim(nanos, Long.MAX_VALUE, false);
            if (!stepsClock && claim != null && claim.deadline() - nanos > 0) {
                LockHolder holder = server.store.inspect(entry.key).holder().orElseThrow();
                assertThat(holder.fencingToken()).isEqualTo(claim.token());
                assertThat(holder.remaining().toNanos()).isGreaterThanOrEqualTo(claim.deadline() - nanos);
            }
        }

        private void tick() {
            pass(POLL.dividedBy(1 + schedule.draw(4)));
            keeper.tick();
        }

        private void hear() {
            schedule.step("a message");
            Consumer<WakeListener> message = server.messages.poll();
            if (message != null) {
                message.accept(keeper);
                waiting.forEach(this::believesWhatIsTrue);
            }
        }

        private void happen() {
            schedule.step("an event");
            switch (schedule.draw(8)) {
                case 0 -> server.cutOrMend();
                case 1 -> aheadNanos = stepsClock && aheadNanos == 0 ? TimeUnit.SECONDS.toNanos(10) : 0;
                case 2 -> pass(Duration.ofSeconds(4));
                case 3 -> pass(POLL);
                case 4 -> close();
                default -> server.release(new ReleaseRequest(anyKey(), FORMER));
            }
        }

        private void close() {
            if (schedule.draw(4) == 0) {
                closed = true;
                keeper.close();
            }
        }

        private void everybodyIsWoken() {
            for (QueueEntry entry : waiting) {
                assertThatIllegalStateException()
                        .isThrownBy(() -> Parked.await(entry, Budget.of(() -> 0, 1), STOP_WAITING, true));
            }
        }

        /** The holder goes, the store answers, and no message arrives. */
        private void everybodyGetsOn() {
            server.reliable = true;
            KEYS.forEach(key -> server.release(new ReleaseRequest(key, FORMER)));
            for (int i = 0; i < MAX_POLLS && !waiting.isEmpty(); i++) {
                pass(POLL);
                keeper.tick();
                List.copyOf(waiting).stream()
                        .filter(entry -> isCalled(entry) && ask(entry))
                        .forEach(this::leave);
            }
            assertThat(waiting).as("never get the lock").isEmpty();
            assertThat(keeper.tick() - nanos).as("is still polled").isGreaterThan(LEASE_MILLIS * 1_000_000);
        }

        /** The store, and the messages that are on their way from there. */
        private final class Server extends StoreSpy {

            final InMemoryLockStore store;
            final Queue<Consumer<WakeListener>> messages = new ArrayDeque<>();
            boolean reliable;
            private boolean connected;

            Server() {
                this(new InMemoryLockStore(
                        () -> nanos + aheadNanos, () -> Instant.EPOCH.plusNanos(nanos + aheadNanos)));
            }

            private Server(InMemoryLockStore store) {
                super(store);
                this.store = store;
            }

            @Override
            public AcquireReply acquire(AcquireRequest request) {
                return schedule.step("acquire " + request.owner(), () -> store.acquire(request));
            }

            @Override
            public ReleaseReply release(ReleaseRequest request) {
                return schedule.step("release", () -> store.release(request));
            }

            @Override
            public void leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastFencingToken) {
                schedule.step("leave " + owner);
                store.leave(key, owner, cancelledFor, ReleaseRequest.ALL_TOKENS);
            }

            @Override
            public List<EntryReply> keepEntries(List<EntryRequest> requests) {
                int luck = reliable ? 0 : schedule.draw(8);
                if (luck == 1) {
                    throw unreachable();
                }
                List<EntryReply> replies = schedule.step("keep " + requests, () -> store.keepEntries(requests));
                if (luck == 2) {
                    throw unreachable();
                }
                return luck == 3
                        ? requests.stream()
                                .<EntryReply>map(request -> new EntryReply.Failed("on purpose"))
                                .toList()
                        : replies;
            }

            @Override
            public Listening listen(String clientId, WakeListener listener) {
                connected = true;
                messages.add(WakeListener::connected);
                return store.listen(clientId, new Late());
            }

            /** Whatever is on its way is lost. */
            void cutOrMend() {
                connected = !connected;
                messages.clear();
                messages.add(connected ? WakeListener::connected : WakeListener::disconnected);
            }

            private void send(Consumer<WakeListener> message) {
                if (connected) {
                    messages.add(message);
                }
            }

            private final class Late implements WakeListener {

                @Override
                public void granted(long sequence, Reservation reservation) {
                    send(listener -> listener.granted(sequence, reservation));
                }

                @Override
                public void awaited(long sequence, Waiters waiters) {
                    send(listener -> listener.awaited(sequence, waiters));
                }

                @Override
                public void connected() {}

                @Override
                public void disconnected() {}
            }
        }
    }

    private static final Pause STOP_WAITING = nanos -> {
        throw new InterruptedException("not called");
    };
}
