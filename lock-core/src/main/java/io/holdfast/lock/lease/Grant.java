package io.holdfast.lock.lease;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.OwnerId;

/**
 * A lock that was granted to this client, or handed off between its threads.
 *
 * @param key the lock
 * @param name the name of its use, or empty
 * @param owner the acquisition that was granted
 * @param token the fencing token
 * @param exclusive whether it is held alone
 * @param at when the hold began, on the ticker: for a grant of the store, before its call was sent
 * @param deadline until when it is certainly held without renewal, on the ticker
 */
public record Grant(LockKey key, String name, OwnerId owner, long token, boolean exclusive, long at, long deadline) {

    /**
     * {@return a lock as messages show it: its key, and the name of its use}
     *
     * @param key the lock
     * @param name of its use, or empty
     */
    public static String label(LockKey key, String name) {
        return name.isEmpty() ? "'" + key + "'" : "'" + key + "' (" + name + ")";
    }
}
