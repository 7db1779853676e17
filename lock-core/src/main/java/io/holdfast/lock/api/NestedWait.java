package io.holdfast.lock.api;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A caller that is waiting for a lock while it holds others, as reported to the store by its client. For display only.
 *
 * @param clientId the id of the waiting client
 * @param host the host name of its machine
 * @param pid the process on that machine
 * @param thread the waiting thread
 * @param key the lock that it is waiting for
 * @param mode the mode in which it requested the lock
 * @param waitedFor how long it has been waiting
 * @param holds the locks that it holds while it waits; at most 32
 */
public record NestedWait(
        String clientId,
        String host,
        long pid,
        String thread,
        LockKey key,
        LockMode mode,
        Duration waitedFor,
        List<HeldLock> holds) {

    /** Copies the list, and escapes the names, because they appear in messages; see {@link LockKey#printable}. */
    public NestedWait {
        clientId = LockKey.printable(clientId);
        host = LockKey.printable(host);
        thread = LockKey.printable(thread);
        holds = List.copyOf(holds);
    }

    /**
     * A lock that is held during the wait.
     *
     * @param key the lock
     * @param fencingToken the token of the grant; if the lock was handed off within the client, the store has a lower one
     * @param mode the mode in which it is held
     */
    public record HeldLock(LockKey key, long fencingToken, LockMode mode) {}

    /** {@return a description for messages: who is waiting, which locks it holds, and which one it is waiting for} */
    public String describe() {
        String held = holds.stream().map(hold -> "'" + hold.key() + "'").collect(Collectors.joining(", "));
        return host + " (pid " + pid + ", thread " + thread + ") holds " + held + " and waits for '" + key + "'";
    }
}
