package io.holdfast.lock.spring.test;

import io.holdfast.lock.api.Blockage;
import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.engine.LockEngine;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Simulates in a test what happens to locks in production: another instance of the application holds a lock, a lock is lost,
 * Redis is unavailable. Also reports which locks the application holds. A bean in tests with {@link AutoConfigureTestLocks}.
 *
 * <pre>{@code
 * try (var elsewhere = testLocks.holdElsewhere("order:42")) {
 *     assertThatThrownBy(() -> service.pay(42)).isInstanceOf(LockNotAcquiredException.class);
 * }
 *
 * when(gateway.charge(42)).then(call -> { testLocks.lose("order:42"); return OK; });
 * assertThatThrownBy(() -> service.pay(42)).isInstanceOf(LockLostException.class);
 *
 * try (var outage = testLocks.failStore()) {
 *     assertThatThrownBy(() -> service.pay(42)).isInstanceOf(LockStoreException.class);
 * }
 * }</pre>
 *
 * <p>No method waits or sleeps. Any thread may call them. Everything is undone after each test method; tests that run
 * concurrently in the same application context would disturb each other.
 */
public final class TestLocks {

    private final SimulatedLockStore store;
    private final Supplier<LockTemplate> application;
    private final Set<Simulation> running = ConcurrentHashMap.newKeySet();
    private final JobsClock jobsClock = new JobsClock();

    TestLocks(SimulatedLockStore store, Supplier<LockTemplate> application) {
        this.store = store;
        this.application = application;
    }

    /**
     * {@return an exception to be thrown by a mock of a locked bean: somebody else holds the lock} Like {@link #lost} and {@link
     * #storeFailed}, this method needs no bean of this class.
     *
     * @param key the lock
     * @throws io.holdfast.lock.api.LockKeyException if the text is not a valid key
     */
    public static LockNotAcquiredException notAcquired(String key) {
        return new LockNotAcquiredException(null, LockKey.of(key), Duration.ZERO, null, Blockage.UNKNOWN);
    }

    /**
     * {@return an exception to be thrown by a mock of a locked bean: the lock was lost, because its lease expired}
     *
     * @param key the lock
     * @throws io.holdfast.lock.api.LockKeyException if the text is not a valid key
     */
    public static LockLostException lost(String key) {
        Duration held = Duration.ofSeconds(30);
        return new LockLostException(new LockEvent.Lost(LockKey.of(key), "", 1, held, LossCause.EXPIRED, null));
    }

    /** {@return an exception to be thrown by a mock of a locked bean: Redis does not respond} */
    public static LockStoreException storeFailed() {
        return new LockStoreException(
                "The lock store does not respond: this exception was created by TestLocks.storeFailed().", null, false);
    }

    /**
     * Lets another client hold a lock exclusively, seemingly forever: a caller that would wait for it is rejected immediately,
     * regardless of its {@code waitFor}, because the outcome would be the same. Lock views ({@code getLock}) wait as their
     * methods specify.
     *
     * @param key the lock to hold
     * @return ends the simulation when closed; the lock is then free
     * @throws IllegalStateException if the lock is not free
     * @throws io.holdfast.lock.api.LockKeyException if the text is not a valid key
     */
    public Simulation holdElsewhere(String key) {
        return holdElsewhere(LockRequest.of(key));
    }

    /**
     * Lets another client hold one or several locks, see {@link #holdElsewhere(String)}.
     *
     * @param request the locks to hold, with their mode and limit; other settings are ignored
     * @return ends the simulation when closed; the locks are then free
     * @throws IllegalStateException if a lock is not free; then none is held
     */
    public Simulation holdElsewhere(LockRequest request) {
        return running(store.elsewhere().hold(request, true));
    }

    /**
     * Lets another client hold a lock exclusively, and lets callers wait for their whole {@code waitFor}: for tests that end
     * the simulation while one of their threads is waiting.
     *
     * @param key the lock to hold
     * @return ends the simulation when closed; the lock then passes to the first waiter
     * @throws IllegalStateException if the lock is not free
     * @throws io.holdfast.lock.api.LockKeyException if the text is not a valid key
     */
    public Simulation holdElsewhereUntilClosed(String key) {
        return running(store.elsewhere().hold(LockRequest.of(key), false));
    }

    /**
     * Takes a lock away from the application, as an operator, a failover, or a server that lost its data would. When this method returns,
     * its handles report the loss, and methods that need the lock throw {@link io.holdfast.lock.api.LockLostException}; the annotated
     * method does so when it ends. Listeners are called on a separate thread, a moment later. The cause is {@link
     * io.holdfast.lock.api.LossCause#REVOKED}.
     *
     * @param key the lock to lose; it is then free
     * @throws IllegalStateException if the application does not hold it
     * @throws io.holdfast.lock.api.LockStoreException while {@link #failStore()} is active
     */
    public void lose(String key) {
        if (!isHeld(key)) {
            throw new IllegalStateException("The application does not hold lock '" + key
                    + "', so it cannot lose it. It holds " + held(every -> true));
        }
        application.get().forceRelease(key);
    }

    /**
     * Makes every call to the store fail with {@link io.holdfast.lock.api.LockStoreException}, until closed. Held locks stay
     * held: renewals and releases are retried in the background, so a lock that was released during the outage is free shortly
     * after its end, not immediately.
     *
     * @return ends the outage when closed; if several overlap, the outage ends when the last one is closed
     */
    public Simulation failStore() {
        return running(store.fail());
    }

    /**
     * Sets the fire time of jobs that are called from now on, until the test method ends: methods with {@link
     * io.holdfast.lock.spring.annotation.OnOneInstance} and a {@code @Scheduled} with {@code cron} or {@code fixedRate}. The first call
     * of a job runs, and others are skipped, until a later fire time is set.
     *
     * <pre>{@code
     * testLocks.setFireTime(Instant.parse("2026-03-01T03:00:00Z"));
     * reports.report();
     * }</pre>
     *
     * @param time a fire time in the past; a job that is not due at that time runs for its latest fire time before
     * @throws IllegalArgumentException if the time is in the future, for which no job runs
     */
    public void setFireTime(Instant time) {
        if (time.isAfter(Instant.now())) {
            throw new IllegalArgumentException(
                    "No job runs for " + time + ", which is in the future. Set a fire time in the past.");
        }
        jobsClock.set(time);
    }

    JobsClock jobsClock() {
        return jobsClock;
    }

    /**
     * Returns whether the application holds a lock, exclusively or shared, on any thread. A lock that is kept for its {@code minHold} after
     * the work has ended counts as held.
     *
     * @param key the lock
     * @return false if only {@link #holdElsewhere} holds it
     * @throws io.holdfast.lock.api.LockKeyException if the text is not a valid key
     */
    public boolean isHeld(String key) {
        return isHeld(LockKey.of(key));
    }

    private boolean isHeld(LockKey key) {
        return store.memory().inspect(key).holders().stream().anyMatch(holder -> !OtherClient.is(holder));
    }

    /**
     * Returns the locks that the application holds, see {@link #isHeld}, except those of {@link #leaderKeys() leader roles}.
     *
     * @return their keys, in natural order
     */
    public List<String> heldKeys() {
        return held(key -> !store.isRole(key));
    }

    /**
     * Returns the locks of leader roles ({@code @LeaderOnly}, {@link io.holdfast.lock.leader.LeaderElection}) that the application holds.
     *
     * @return their keys, in natural order: {@code leader:<role>} unless configured otherwise
     */
    public List<String> leaderKeys() {
        return held(store::isRole);
    }

    private List<String> held(Predicate<LockKey> which) {
        return store.used().stream()
                .filter(which)
                .filter(this::isHeld)
                .map(LockKey::value)
                .sorted()
                .toList();
    }

    /**
     * The number of waiters for a lock in the store, to check that a thread has started to wait. Threads of the application
     * that wait for the same exclusive lock count as one unless it is fair.
     *
     * @param key the lock
     * @return the number; 0 if there are none
     * @throws io.holdfast.lock.api.LockKeyException if the text is not a valid key
     */
    public int waiters(String key) {
        return store.memory().inspect(LockKey.of(key)).waiters();
    }

    /**
     * Ends all simulations, and frees all locks except those of {@link #leaderKeys() leader roles}, whose terms continue; locks
     * that the application still holds are lost, as with {@link #lose}, and locks that this thread holds are forgotten, as is the
     * data of all locks, with the runs of jobs. Called after each test method.
     */
    public void reset() {
        running.forEach(Simulation::close);
        running.clear();
        jobsClock.set(null);
        store.used().stream()
                .filter(key -> !store.isRole(key))
                .filter(this::isHeld)
                .forEach(this::free);
        if (!store.used().isEmpty() && application.get() instanceof LockEngine client) {
            client.forgetLost(); // otherwise losses would affect the transactions of the next test
        }
        store.forgetUsed();
    }

    /** A lock without a handle, such as one that is kept for its minimum time, ends silently. */
    private void free(LockKey key) {
        LockTemplate locks = application.get();
        if (locks instanceof LocalLocks client
                && client.held().stream().anyMatch(hold -> hold.key().equals(key))) {
            locks.forceRelease(key.value());
        } else {
            store.memory().forceRelease(key);
        }
    }

    private Simulation running(Simulation started) {
        running.add(started);
        return () -> {
            started.close();
            running.remove(started);
        };
    }
}
