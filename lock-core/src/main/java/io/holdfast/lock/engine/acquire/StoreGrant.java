package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.lease.Grant;
import io.holdfast.lock.store.Waiters;

/**
 * A grant of the store, by a reply or by a message.
 *
 * @param grant the lock, with the first fencing token
 * @param tokens how many were reserved
 * @param waiters who waited at the store then
 * @param confirmed whether the store has confirmed it; if not, the lease is still short
 * @param resent whether a send of the acquisition got no reply, and may still arrive
 */
record StoreGrant(Grant grant, long tokens, Waiters waiters, boolean confirmed, boolean resent) {}
