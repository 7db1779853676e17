package io.holdfast.lock.testing.contract;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.LockStore;
import java.time.Duration;
import java.util.Set;

/** A store, and its clock: what a test that extends {@link HolderContract} or {@link LockStoreContract} says of its store. */
public interface StoreUnderTest {

    /**
     * The store. It is asked for often, by one test after the other, and may be the same for all: each test uses locks of its
     * own.
     *
     * @return the same store during one test
     */
    LockStore store();

    /**
     * Lets the store's time pass for one lock and for the record of waits, without waiting: by a clock that the store was created with, or by changing
     * what the store has recorded. Otherwise its time stands still, or passes as in the world.
     *
     * @param key the lock; time may pass for others as well
     * @param time negative for a clock that goes back
     */
    void pass(LockKey key, Duration time);

    /**
     * Another lock, whose messages to listeners come after earlier ones of the given lock. By default the name of the lock with
     * the suffix; a store with several servers chooses one on the same server.
     *
     * @param key a lock of the test
     * @param suffix makes it another one; each with a meaning of its own in the test
     * @return the other lock
     */
    default LockKey beside(LockKey key, String suffix) {
        return LockKey.of(key + suffix);
    }

    /**
     * Which optional calls the store has. If it does not carry out one of these, the tests of that call fail; those of the others are
     * skipped.
     *
     * @return by default none
     */
    default Set<OptionalCall> offers() {
        return Set.of();
    }

    /**
     * Whether a holder that asks again for what it holds may get a higher token than before. By default not; it may where
     * several servers choose tokens by their clocks, because a server that was not waited for may have chosen a higher one.
     *
     * @return whether the contract lets tokens rise then
     */
    default boolean mayRaiseTokens() {
        return false;
    }
}
