package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The {@link Line}s of one client: one for each exclusive lock that a thread holds or wants. Thread-safe. */
final class Lines implements AutoCloseable {

    private final Map<LockKey, Line> lines = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * Lines up a caller.
     *
     * @param key what it wants
     * @param terms on which terms; the lock is handed off between equal ones only. Null if it stands in no line
     * @param waiter is run when it is in front
     * @return the caller, in line
     * @throws IllegalStateException if the client is closed
     * @throws LockStoreException if the front knows that the store fails
     */
    public Line.Member enter(LockKey key, @Nullable Object terms, Runnable waiter) {
        if (terms == null) {
            return Line.alone(key);
        }
        Line.Member member;
        do {
            member = line(key).enter(terms, false, waiter);
        } while (member == null);
        if (closed && member.isFront()) {
            member.pass(null);
            throw ClosedClient.exception();
        }
        failIfOutage(key, member);
        return member;
    }

    /** A caller that arrives while the store fails fails immediately, as a first attempt would. */
    private static void failIfOutage(LockKey key, Line.Member member) {
        Failing failing = member.isWaiting() ? member.news().failing() : null;
        if (failing != null && member.cancel()) {
            throw new LockStoreException(
                    "Redis is unavailable; other threads of this client are already waiting for lock '" + key
                            + "' and for Redis to recover: " + failing.failure().getMessage(),
                    failing.failure(),
                    false);
        }
    }

    /**
     * Lets a caller in if the line is empty.
     *
     * @param key what it wants
     * @param terms as in {@link #enter}
     * @return the caller, in front; or null
     */
    public Line.@Nullable Member tryEnter(LockKey key, @Nullable Object terms) {
        return terms == null ? Line.alone(key) : line(key).enter(terms, true, () -> {});
    }

    private Line line(LockKey key) {
        Line known = lines.get(key);
        return known != null
                ? known
                : lines.computeIfAbsent(
                        key, unused -> new Line(key, retired -> lines.remove(key, retired), () -> closed));
    }

    /** How many lines there are, for tests. */
    int size() {
        return lines.size();
    }

    /** Wakes all callers in line; they find the client closed. */
    @Override
    public void close() {
        closed = true;
        lines.values().forEach(Line::wakeAll);
    }
}
