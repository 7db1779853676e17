package io.holdfast.lock.testing.contract;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.LockStore;

/** A call that a {@link LockStore} may leave at its default, which does nothing. */
public enum OptionalCall {

    /** {@link LockStore#acquireAll} acquires free locks together, instead of {@link AcquireAllReply.OneByOne}. */
    ACQUIRE_ALL,

    /** {@link LockStore#openScan} lists locks, and {@link LockStore#inspect(LockKey)} agrees with it. */
    OPEN_SCAN,

    /** {@link LockStore#recordWaits} records waits. */
    RECORD_WAITS
}
