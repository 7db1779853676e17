package io.holdfast.lock.engine.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.engine.client.Cleanup;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.testing.Interleaving;
import io.holdfast.lock.testing.ManualThreads;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The watchdog of a client on virtual time: leases are granted, extended and closed, their clock thread and their renewal
 * thread are late, renewals fail, hang, or their answers are lost, holds are revoked and doubted, locks move to another
 * server, and threads die. Drawn schedules of that are explored; threads change places at calls of the store and of the
 * clock. Forbidden: a lease that is not lost at its deadline, or of which nobody hears, or twice; one without an alarm while
 * it is open and not lost; one that is lost although the store renews it; an alarm for one that is closed.
 *
 * <p>Not by Lincheck, which is too slow for a watchdog already in {@code EntryKeeperSchedulesTest}.
 */
class WatchdogSchedulesTest {

    private static final HolderInfo NOWHERE = new HolderInfo("host", 1, "thread");
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofSeconds(10);
    private static final Duration CONFIRMED_LATER = Duration.ofMillis(1500);
    private static final Duration LOOK = Duration.ofMillis(200);

    /** A failed renewal is tried again after a second at the latest. */
    private static final Duration RETRY = Duration.ofMillis(1500);

    /** The mutation profile runs them for each mutant. */
    private static final int FEW = Integer.getInteger("schedules", 700);

    @Test
    void open_leases_are_renewed_or_lost_in_time_and_closed_ones_forgotten() {
        explore(0, FEW);
    }

    @Test
    @Tag("full")
    void open_leases_are_renewed_or_lost_in_time_and_closed_ones_forgotten_in_more_schedules() {
        explore(FEW, 6_000);
    }

    private static void explore(int from, int to) {
        IntStream.range(from, to).forEach(seed -> new Run(seed).explore());
    }

    /** One schedule. */
    private static final class Run {

        private final long seed;
        private final Interleaving schedule;
        private final List<Watched> all = new ArrayList<>();
        private final RecordedEvents events = new RecordedEvents();
        private final Server server = new Server();
        private final ManualThreads renewers = new ManualThreads();
        private final ManualThreads cleaners = new ManualThreads();
        private final ClientContext client;
        private final HeldLocks locks;
        private final Watchdog watchdog;
        private final CountDownLatch death = new CountDownLatch(1);
        private final Thread mortal = new Thread(this::live, "mortal");
        private long passed;
        private int sequence;

        Run(long seed) {
            this.seed = seed;
            this.schedule = new Interleaving(seed, this::holdsMonitor);
            this.client = new ClientContext(server, new Cleanup(server, cleaners), this::nanos, false, "client");
            this.locks = new HeldLocks(client, new EventPublisher(List.of()), 0, events::accept, renewers);
            this.watchdog = locks.watchdog;
        }

        private boolean holdsMonitor() {
            return all.stream().anyMatch(watched -> Thread.holdsLock(watched.hold));
        }

        private long nanos() {
            schedule.step("the time");
            return now();
        }

        /** Wraps within the schedule. */
        private long now() {
            return Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(15) + passed;
        }

        private void pass(Duration time) {
            passed += time.toNanos();
        }

        void explore() {
            mortal.setDaemon(true);
            mortal.start();
            try {
                schedule.add("holder", () -> often(3, this::hold));
                schedule.add("other holder", () -> often(3, this::hold));
                schedule.add("clock", () -> often(6, this::tick));
                schedule.add("renewal", () -> often(10, this::renew));
                schedule.add("world", () -> often(4, this::happen));
                schedule.run();
                server.reliable = true;
                if (schedule.draw(3) == 0) {
                    nothingIsKeptOfClosedLeases();
                } else {
                    openLeasesAreRenewedOrLost();
                }
            } catch (RuntimeException | Error e) {
                throw new AssertionError("Seed " + seed + schedule.trace(), e);
            } finally {
                die();
            }
        }

        private void often(int most, Runnable action) {
            for (int i = schedule.draw(most + 1); i > 0; i--) {
                action.run();
            }
        }

        private boolean oneIn(int many) {
            return schedule.draw(many) == 0;
        }

        private void hold() {
            Watched held = new Watched();
            all.add(held);
            locks.add(held.hold, new HashMap<>());
            held.watched = true;
            often(2, held::change);
            if (oneIn(2)) {
                held.close();
            }
        }

        private void tick() {
            pass(Duration.ofMillis(schedule.draw(5_000)));
            long before = now();
            List<Hold> open = open();
            watchdog.tick();
            open.retainAll(open());
            assertThat(open).allMatch(hold -> hold.deadline() - before > 0, "is lost at its deadline");
            all.forEach(Watched::isHeldUntilItsDeadline);
        }

        private void renew() {
            schedule.step("renewals");
            renewers.run();
        }

        private void happen() {
            schedule.step("an event");
            switch (schedule.draw(6)) {
                case 0 -> pass(Duration.ofSeconds(5));
                case 1 -> server.moved = !server.moved;
                case 2 -> die();
                case 3 -> any().forEach(Watched::revoke);
                default ->
                    any().forEach(watched -> locks.doubt(watched.hold.owner().sequence()));
            }
        }

        /** One, if there is any; it may not be watched yet. */
        private List<Watched> any() {
            return all.isEmpty() ? List.of() : List.of(all.get(schedule.draw(all.size())));
        }

        private void live() {
            try {
                death.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void die() {
            death.countDown();
            try {
                mortal.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void openLeasesAreRenewedOrLost() {
            all.forEach(Watched::expect);
            List<Hold> soonLost = all.stream()
                    .filter(Watched::isToBeLostSoon)
                    .map(watched -> watched.hold)
                    .toList();
            long start = now();
            while (now() - start < 2 * LONG.toNanos() + RETRY.toNanos()) {
                pass(LOOK);
                watchdog.tick();
                assertThat(open()).allMatch(hold -> hold.deadline() - now() > 0, "is lost at its deadline");
                renewers.run();
                all.forEach(Watched::isHeldUntilItsDeadline);
                assertThat(soonLost).allMatch(hold -> hold.isLost() || now() - start < RETRY.toNanos(), "was doubted");
            }
            server.released.clear();
            cleaners.run();
            all.forEach(Watched::verify);
        }

        private List<Hold> open() {
            List<Hold> open = new ArrayList<>();
            for (Watched watched : all) {
                if (watched.watched && watched.hold.isOpen() && !watched.hold.isLost()) {
                    open.add(watched.hold);
                }
            }
            return open;
        }

        private void nothingIsKeptOfClosedLeases() {
            all.forEach(Watched::close);
            assertThat(watchdog.tick() - now()).isEqualTo(TimeUnit.HOURS.toNanos(1));
            server.renewed.clear();
            renewers.run();
            pass(LONG);
            watchdog.tick();
            renewers.run();
            assertThat(watchdog.tick() - now()).isEqualTo(TimeUnit.HOURS.toNanos(1));
            assertThat(server.renewed).isEmpty();
        }

        /** A lease, and what is to become of it. */
        private final class Watched {

            final Hold hold;
            boolean watched;
            private final boolean bound = oneIn(4);
            private final long maxHoldNanos = oneIn(6) ? LONG.toNanos() : Terms.UNLIMITED;
            private boolean revoked;
            private boolean closed;
            private boolean silent;
            private final Terms terms;
            private boolean isToBeLost;
            private boolean isToLive;

            Watched() {
                LockKey key = LockKey.of("key:" + ++sequence);
                OwnerId owner = new OwnerId("client", sequence);
                Duration length = oneIn(2) ? LONG : SHORT;
                Duration granted = oneIn(4) ? CONFIRMED_LATER : length;
                long warnAfterNanos = (oneIn(2) ? SHORT : Duration.ofDays(1)).toNanos();
                long sentAt = nanos();
                AcquireReply reply = server.acquire(Requests.exclusive(key, owner, granted.toMillis(), NOWHERE, false));
                long token = ((AcquireReply.Granted) reply).token();
                terms = Holds.terms("", length.toNanos(), maxHoldNanos, warnAfterNanos);
                hold = Holds.hold(
                        key,
                        terms,
                        owner,
                        token,
                        sentAt,
                        sentAt + granted.toNanos(),
                        client.queue().enter(key, null, () -> {}),
                        Run.this::nanos,
                        events::lost);
                hold.open(oneIn(5) ? Holds.fixed(terms) : terms, bound ? mortal : null);
            }

            void change() {
                schedule.step("a change");
                if (oneIn(3)) {
                    locks.doubt(hold.owner().sequence());
                } else if (hold.isRenewing()) {
                    stopRenewing();
                } else if (!bound) {
                    stretch();
                }
            }

            /** One handle stays open that does not want renewal. */
            private void stopRenewing() {
                if (hold.enter(Holds.fixed(terms), bound ? mortal : null) != null) {
                    hold.uses.stream().filter(use -> use.terms.renew()).forEach(hold::exit);
                }
            }

            /** By a reentrant acquisition that wants renewal. */
            private void stretch() {
                if (hold.enter(terms, null) == null) {
                    return;
                }
                long sentAt = nanos();
                if (!hold.isTimeLimitReached() && extended()) {
                    hold.extendTo(sentAt + LONG.toNanos());
                    hold.raiseLease(LONG.toNanos());
                } else {
                    close();
                }
            }

            private boolean extended() {
                var request = Requests.renewal(hold.key(), hold.owner(), LONG.toMillis());
                return server.extend(request) instanceof RenewReply.Renewed;
            }

            void close() {
                while (hold.isOpen() && !closed) {
                    closed = hold.exit(hold.uses.get(0)) == Hold.Exit.ENDS;
                    if (!closed) {
                        schedule.step("the next handle");
                    }
                }
                locks.remove(hold);
                server.release(new ReleaseRequest(hold.key(), hold.owner()));
            }

            void revoke() {
                revoked = true;
                server.forceRelease(hold.key());
                schedule.step("a hint");
                locks.doubt(hold.owner().sequence());
            }

            /** A hold that says so is held at the store for at least as long. */
            void isHeldUntilItsDeadline() {
                long left = hold.deadline() - now();
                if (watched && !revoked && hold.isOpen() && !hold.isLost() && left > 0) {
                    assertThat(server.inspect(hold.key()).holder())
                            .isPresent()
                            .hasValueSatisfying(holder ->
                                    assertThat(holder.remaining().toNanos()).isGreaterThanOrEqualTo(left));
                }
            }

            boolean isToBeLostSoon() {
                return hold.isOpen() && !hold.isLost() && hold.doubted && !isHeld() && !silent;
            }

            void expect() {
                if (hold.isOpen() && !hold.isLost()) {
                    silent = oneIn(4);
                    if (silent) {
                        server.silent.add(hold.key());
                    }
                    isToBeLost = silent || !isHeld() || !hold.isRenewing() || (bound && !mortal.isAlive());
                    isToLive =
                            !isToBeLost && maxHoldNanos == Terms.UNLIMITED && hold.deadline() - now() > RETRY.toNanos();
                }
            }

            void verify() {
                assertThat(hold.isLost() || !isToBeLost)
                        .as("%s is lost", hold.key())
                        .isTrue();
                assertThat(hold.isLive() && isHeld() || !isToLive)
                        .as("%s is held", hold.key())
                        .isTrue();
                assertThat(events.lost.stream().filter(loss -> loss.key().equals(hold.key())))
                        .hasSize(hold.isLost() ? 1 : 0);
                boolean abandoned = hold.isLost() && hold.lose(LossCause.CLOSED).cause() == LossCause.THREAD_DIED;
                assertThat(server.released.stream().filter(hold.key()::equals)).hasSize(abandoned && !closed ? 1 : 0);
                assertThat(abandoned && hold.isOpen()).isFalse();
            }

            private boolean isHeld() {
                return server.inspect(hold.key()).holder().isPresent();
            }
        }

        /** The store. */
        private final class Server extends StoreSpy {

            final Set<LockKey> silent = new HashSet<>();
            final List<RenewRequest> renewed = new ArrayList<>();
            final List<LockKey> released = new ArrayList<>();
            boolean reliable;
            boolean moved;

            Server() {
                super(new InMemoryLockStore(Run.this::now, () -> Instant.EPOCH.plusNanos(passed)));
            }

            @Override
            public AcquireReply acquire(AcquireRequest request) {
                return schedule.step("acquire " + request.key(), () -> super.acquire(request));
            }

            @Override
            public ReleaseReply release(ReleaseRequest request) {
                released.add(request.key());
                return schedule.step("release " + request.key(), () -> super.release(request));
            }

            @Override
            public RenewReply extend(RenewRequest request) {
                return schedule.step("extend " + request.key(), () -> super.extend(request));
            }

            @Override
            public String serverOf(LockKey key) {
                schedule.step("the server of " + key);
                return moved && key.value().endsWith("1") ? "other" : "one";
            }

            @Override
            public List<RenewReply> renew(List<RenewRequest> requests) {
                renewed.addAll(requests);
                int luck = reliable ? 0 : schedule.draw(8);
                if (luck == 1) {
                    throw unreachable();
                }
                if (luck == 2) {
                    pass(Duration.ofSeconds(5));
                }
                List<RenewReply> replies = schedule.step(
                        "renew " + requests,
                        () -> requests.stream().map(this::renewed).toList());
                if (luck == 3) {
                    pass(Duration.ofSeconds(5));
                }
                if (luck == 4) {
                    throw unreachable();
                }
                return replies;
            }

            private RenewReply renewed(RenewRequest request) {
                boolean fails = silent.contains(request.key()) || (!reliable && oneIn(6));
                return fails ? new RenewReply.Failed("on purpose") : super.extend(request);
            }
        }
    }
}
