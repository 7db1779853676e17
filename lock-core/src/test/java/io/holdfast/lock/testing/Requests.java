package io.holdfast.lock.testing;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;

/** Requests to a store as plain as they come. */
public final class Requests {

    private Requests() {}

    public static AcquireRequest exclusive(
            LockKey key, OwnerId owner, long leaseMillis, HolderInfo holder, boolean waiting) {
        return new AcquireRequest(
                key, owner, leaseMillis, holder, AcquireRequest.EXCLUSIVE, 1, false, waiting, 1, 0, false);
    }
}
