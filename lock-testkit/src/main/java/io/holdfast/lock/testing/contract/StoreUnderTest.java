package io.holdfast.lock.testing.contract;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.ReleaseReply;
import java.time.Duration;
import java.util.Set;

/** A store and its clock, provided by a test that extends {@link HolderContract} or {@link LockStoreContract}. */
public interface StoreUnderTest {

    /**
     * The store. It is requested often, by one test after another, and may be the same for all: each test uses its own locks.
     *
     * @return the same store during one test
     */
    LockStore store();

    /**
     * Advances the store's time for one lock and for the record of waits, without waiting: with a clock that was passed to the store, or by
     * changing the times that the store has recorded. Otherwise, the store's time stands still, or passes as real time does.
     *
     * @param key the lock; time may pass for others as well
     * @param time negative for a clock that goes back
     */
    void pass(LockKey key, Duration time);

    /**
     * Another lock, whose messages to listeners arrive after earlier messages of the given lock. By default the name of the lock with
     * the suffix; a store with several servers chooses one on the same server.
     *
     * @param key a lock of the test
     * @param suffix makes it another lock; each suffix has its own meaning in the test
     * @return the other lock
     */
    default LockKey beside(LockKey key, String suffix) {
        return LockKey.of(key + suffix);
    }

    /**
     * Which optional calls the store offers. The tests of a listed call fail if the store does not support it; tests of unlisted calls are
     * skipped if it does not.
     *
     * @return by default none
     */
    default Set<OptionalCall> offers() {
        return Set.of();
    }

    /**
     * The reply to a release by an owner that is not the holder.
     *
     * @return {@link ReleaseReply#GONE} if the store cannot know whether the release was sent twice
     */
    default ReleaseReply notHolder() {
        return ReleaseReply.NOT_HOLDER;
    }

    /**
     * Whether a holder that requests a lock it already holds may get a higher token than before, and whether a caller that is refused may
     * learn of a higher one. By default they may not; they may where several servers choose tokens by their clocks, because a server that
     * was not awaited may have chosen a higher one.
     *
     * @return whether the contract allows tokens to rise in these cases
     */
    default boolean mayRaiseTokens() {
        return false;
    }
}
