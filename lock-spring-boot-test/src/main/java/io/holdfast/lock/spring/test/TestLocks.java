package io.holdfast.lock.spring.test;

import io.holdfast.lock.api.LockActivity;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Plays, in a test, what happens to locks in production: another instance of the application holds one, one is lost, Redis
 * is away. And tells which locks the application holds. A bean of tests with {@link AutoConfigureTestLocks}.
 *
 * <pre>{@code
 * try (var elsewhere = testLocks.holdElsewhere("order:42")) {
 *     assertThatThrownBy(() -> service.pay(42)).isInstanceOf(LockNotAcquiredException.class);
 * }
 *
 * when(gateway.charge(42)).then(call -> { testLocks.lose("order:42"); return OK; });
 * assertThatThrownBy(() -> service.pay(42)).isInstanceOf(LockLostException.class);
 *
 * try (var outage = testLocks.fail()) {
 *     assertThatThrownBy(() -> service.pay(42)).isInstanceOf(LockStoreException.class);
 * }
 * }</pre>
 *
 * <p>Nothing of this waits or sleeps. Any thread may call it. Everything is undone after each test method; tests that run
 * side by side in the same application context would disturb each other.
 */
public final class TestLocks {

    private final SimulatedLockStore store;
    private final Supplier<LockTemplate> application;
    private final Set<Simulation> running = ConcurrentHashMap.newKeySet();

    TestLocks(SimulatedLockStore store, Supplier<LockTemplate> application) {
        this.store = store;
        this.application = application;
    }

    /**
     * Has another client hold a lock alone, for good as far as the application can tell: a caller who would wait for it is
     * refused at once, whatever its {@code waitFor}, since the end would be the same. Lock views ({@code getLock}) wait as
     * their methods say.
     *
     * @param key what is held
     * @return ends it; the lock is then free
     * @throws IllegalStateException if the lock is not free
     * @throws io.holdfast.lock.api.LockKeyException if the text cannot be a key
     */
    public Simulation holdElsewhere(String key) {
        return holdElsewhere(LockRequest.of(key));
    }

    /**
     * Has another client hold a lock, or several, see {@link #holdElsewhere(String)}.
     *
     * @param request what is held, in which mode and up to which limit; the rest of it does not matter
     * @return ends it; the locks are then free
     * @throws IllegalStateException if a lock is not free; none is held then
     */
    public Simulation holdElsewhere(LockRequest request) {
        return running(store.elsewhere().hold(request, true));
    }

    /**
     * Has another client hold a lock alone, and callers wait for it as long as they are willing to: for tests that close
     * this while a thread of theirs waits.
     *
     * @param key what is held
     * @return ends it; the lock then passes to the first who waits
     * @throws IllegalStateException if the lock is not free
     * @throws io.holdfast.lock.api.LockKeyException if the text cannot be a key
     */
    public Simulation holdElsewhereForAWhile(String key) {
        return running(store.elsewhere().hold(LockRequest.of(key), false));
    }

    /**
     * Takes a lock away from the application, as an operator, a failover, or a server that lost its data would. When this
     * method returns, its handles answer that they are lost, and what asks them throws
     * {@link io.holdfast.lock.api.LockLostException}; the annotated method does so at its end. Listeners are called on a
     * thread of their own, a moment later. The cause is {@link io.holdfast.lock.api.LossCause#REVOKED}.
     *
     * @param key what is lost; it is then free
     * @throws IllegalStateException if the application does not hold it
     * @throws io.holdfast.lock.api.LockStoreException while {@link #fail()} is in force
     */
    public void lose(String key) {
        if (!isHeld(key)) {
            throw new IllegalStateException(
                    "The application does not hold lock '" + key + "', so it cannot lose it. It holds " + heldKeys());
        }
        application.get().forceRelease(key);
    }

    /**
     * Has every call to the store fail with {@link io.holdfast.lock.api.LockStoreException}, until closed. Locks that are
     * held stay held: renewals and releases are tried again in the background, so that a lock that was given back meanwhile
     * is free shortly after the end, not at once.
     *
     * @return ends it; with several, the last one does
     */
    public Simulation fail() {
        return running(store.fail());
    }

    /**
     * Whether the application holds a lock, alone or with others, on any thread. A lock that is kept for a {@code minHold}
     * after its work has ended counts.
     *
     * @param key the lock
     * @return not by {@link #holdElsewhere}
     * @throws io.holdfast.lock.api.LockKeyException if the text cannot be a key
     */
    public boolean isHeld(String key) {
        return isHeld(LockKey.of(key));
    }

    private boolean isHeld(LockKey key) {
        return store.memory().inspect(key).holders().stream().anyMatch(holder -> !OtherClient.is(holder));
    }

    /**
     * Which locks the application holds, see {@link #isHeld}.
     *
     * @return their keys, in natural order
     */
    public List<String> heldKeys() {
        return store.used().stream()
                .filter(this::isHeld)
                .map(LockKey::value)
                .sorted()
                .toList();
    }

    /**
     * How many wait for a lock at the store: to see that a thread has come that far. Threads of the application that wait
     * for the same exclusive lock, and not for a fair one, count as one.
     *
     * @param key the lock
     * @return 0 if nobody waits
     * @throws io.holdfast.lock.api.LockKeyException if the text cannot be a key
     */
    public int waiters(String key) {
        return store.memory().inspect(LockKey.of(key)).waiters();
    }

    /**
     * Ends all simulations, and frees all locks; what the application still holds is lost, as by {@link #lose}, and what
     * this thread holds is forgotten. Called after each test method.
     */
    public void reset() {
        running.forEach(Simulation::close);
        running.clear();
        store.used().stream().filter(this::isHeld).forEach(this::free);
        if (!store.used().isEmpty() && application.get() instanceof LockEngine client) {
            client.forgetLost(); // else it would count for the transactions of the next test
        }
        store.forgetUsed();
    }

    /** One that no handle stands for, such as one that is kept for its minimum time, ends without a word. */
    private void free(LockKey key) {
        LockTemplate locks = application.get();
        if (locks instanceof LockActivity client
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
