package io.holdfast.lock.store;

import io.holdfast.lock.api.LockKey;

/**
 * Where an acquisition comes from, for operators who inspect the lock.
 *
 * @param host the machine
 * @param pid the process
 * @param thread the thread's name
 */
public record HolderInfo(String host, long pid, String thread) {

    /** Escapes the names, which stores write on separate lines, and which appear in messages: see {@link LockKey#printable}. */
    public HolderInfo {
        host = LockKey.printable(host);
        thread = LockKey.printable(thread);
    }
}
