package io.holdfast.lock.testing;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.Followers;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.RenewRequest;
import java.util.List;
import java.util.Map;

/** Requests to a store as plain as they come. */
public final class Requests {

    private Requests() {}

    public static AcquireRequest exclusive(
            LockKey key, OwnerId owner, long leaseMillis, HolderInfo holder, boolean waiting) {
        return new AcquireRequest(
                key, owner, leaseMillis, holder, AcquireRequest.EXCLUSIVE, 1, false, waiting, 1, 0, false);
    }

    /** The renewal of an exclusive lock without callers in line. */
    public static RenewRequest renewal(LockKey key, OwnerId owner, long leaseMillis) {
        return renewal(key, owner, leaseMillis, AcquireRequest.EXCLUSIVE);
    }

    public static RenewRequest renewal(LockKey key, OwnerId owner, long leaseMillis, int limit) {
        return new RenewRequest(key, owner, leaseMillis, limit, Followers.NONE);
    }

    /** Entries without callers in line. */
    public static EntryRequest entries(LockKey key, List<OwnerId> owners) {
        return new EntryRequest(key, owners, Map.of());
    }
}
