package io.holdfast.lock.testing.contract;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.LockStore;

/** A call that a {@link LockStore} may leave at its default, which does nothing. */
public enum OptionalCall {

    /**
     * {@link LockStore#acquireAll} acquires free locks together if all requests are waiting, instead of {@link AcquireAllReply.OneByOne}.
     */
    ACQUIRE_ALL,

    /**
     * It does so in one atomic step: also for requests that are not waiting; and a refusal names the lock, uses up no token, and lets nobody
     * see the other locks as held. A store with its locks on several servers does not offer this.
     */
    ACQUIRE_ALL_IN_ONE_STEP,

    /** {@link LockStore#openScan} lists locks, and {@link LockStore#inspect(LockKey)} agrees with it. */
    OPEN_SCAN,

    /** {@link LockStore#recordWaits} records waits. */
    RECORD_WAITS,

    /** {@link LockStore#data} keeps the data of locks, and {@link LockStore#keepsData} returns true. */
    DATA
}
