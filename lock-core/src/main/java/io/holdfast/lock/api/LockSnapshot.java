package io.holdfast.lock.api;

import java.util.Optional;

/**
 * One lock as the store sees it at one moment.
 *
 * @param key the lock
 * @param holder who holds it, if anybody
 * @param waiters how many acquisitions, of all clients, wait for it; those that died are counted for 3 s at most
 * @param lastToken the greatest fencing token handed out that the store remembers; 0 if none
 */
public record LockSnapshot(LockKey key, Optional<LockHolder> holder, int waiters, long lastToken) {}
