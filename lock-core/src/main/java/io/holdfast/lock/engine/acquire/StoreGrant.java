package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.waiting.Front;

/**
 * What the store has granted, by an answer or by a message.
 *
 * @param owner the acquisition
 * @param token the first fencing token
 * @param tokens how many were reserved
 * @param waiters who waited at the store then
 * @param at when the hold begins, on the ticker
 * @param deadline until when it is certainly held
 * @param confirmed whether the store knows that; if not, the lease is still short
 * @param resent whether a send of the acquisition was not answered, and may still arrive
 */
record StoreGrant(
        OwnerId owner,
        long token,
        long tokens,
        Waiters waiters,
        long at,
        long deadline,
        boolean confirmed,
        boolean resent) {

    /** By an answer, which confirms it. */
    static StoreGrant of(OwnerId owner, AcquireReply.Granted granted, long sentAt, long deadline, boolean resent) {
        return new StoreGrant(
                owner, granted.token(), granted.tokens(), granted.waiters(), sentAt, deadline, true, resent);
    }

    /** By a message, which the store takes for true only when it is asked. */
    static StoreGrant of(OwnerId owner, Front.Claim claim, long now, boolean resent) {
        Reservation told = claim.reservation();
        return new StoreGrant(owner, told.token(), told.tokens(), told.waiters(), now, claim.deadline(), false, resent);
    }
}
