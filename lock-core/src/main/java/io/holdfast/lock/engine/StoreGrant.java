package io.holdfast.lock.engine;

import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Waiters;

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
        boolean resent) {}
