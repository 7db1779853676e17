package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.lease.Grant;
import io.holdfast.lock.store.Waiters;

/**
 * What the store has granted, by a reply or by a message.
 *
 * @param grant the lock, with the first fencing token
 * @param tokens how many were reserved
 * @param waiters who waited at the store then
 * @param confirmed whether the store knows that; if not, the lease is still short
 * @param resent whether a send of the acquisition was not answered, and may still arrive
 */
record StoreGrant(Grant grant, long tokens, Waiters waiters, boolean confirmed, boolean resent) {}
