package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.lease.Grant;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.waiting.Front;

/**
 * What the store has granted, by a reply or by a message.
 *
 * @param grant the lock, with the first fencing token
 * @param tokens how many were reserved
 * @param waiters who waited at the store then
 * @param confirmed whether the store knows that; if not, the lease is still short
 * @param resent whether a send of the acquisition was not answered, and may still arrive
 */
record StoreGrant(Grant grant, long tokens, Waiters waiters, boolean confirmed, boolean resent) {

    /** By a reply, which confirms it. */
    static StoreGrant of(
            Call call, OwnerId owner, AcquireReply.Granted granted, long sentAt, long deadline, boolean resent) {
        Grant grant = call.grant(owner, granted.token(), sentAt, deadline);
        return new StoreGrant(grant, granted.tokens(), granted.waiters(), true, resent);
    }

    /** By a message, which the store takes for true only when it is asked. */
    static StoreGrant of(Call call, OwnerId owner, Front.Claim claim, long now, boolean resent) {
        Reservation told = claim.reservation();
        Grant grant = call.grant(owner, told.token(), now, claim.deadline());
        return new StoreGrant(grant, told.tokens(), told.waiters(), false, resent);
    }
}
