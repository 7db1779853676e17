package io.holdfast.lock.api;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The holder of a lock, as recorded in the store. For display only; not proof of ownership.
 *
 * @param clientId the id of the client that holds it
 * @param host the host name of the holder's machine
 * @param pid the process on that machine
 * @param thread the thread that acquired the lock
 * @param since when the lock was acquired, according to the store's clock (derived from the fencing token)
 * @param remaining how long the lease lasts without renewal, at the time of the reply; never negative
 * @param fencingToken the token of this grant
 * @param mode the mode in which it holds the lock
 * @param keptByMinHold whether it has released the lock, which is kept for the rest of its {@code minHold}
 * @param traceparent the span in which it requested the lock, in the format of the <a
 *     href="https://www.w3.org/TR/trace-context/#traceparent-header">W3C Trace Context</a>. Empty if its trace is not sampled, if its
 *     client does not trace, or if its client may have handed the lock to another of its threads since; any other text counts as empty
 */
public record LockHolder(
        String clientId,
        String host,
        long pid,
        String thread,
        Instant since,
        Duration remaining,
        long fencingToken,
        LockMode mode,
        boolean keptByMinHold,
        Optional<String> traceparent) {

    private static final Pattern TRACEPARENT = Pattern.compile("00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[13]");

    /** Escapes the names, because they come from Redis and appear in messages; see {@link LockKey#printable}. */
    public LockHolder {
        clientId = LockKey.printable(clientId);
        host = LockKey.printable(host);
        thread = LockKey.printable(thread);
        traceparent = traceparent.filter(text -> TRACEPARENT.matcher(text).matches());
    }

    /** {@return the ID of its trace, 32 hexadecimal digits, if there is a {@link #traceparent}} */
    public Optional<String> traceId() {
        return traceparent.map(text -> text.split("-", 3)[1]);
    }

    /**
     * {@return a description for messages, on one line: host, process, thread, and how long the lease lasts or {@code minHold} keeps the
     * lock}
     */
    public String describe() {
        return where() + ", " + (keptByMinHold ? keptFor() : DurationText.of(remaining) + " left on its lease");
    }

    /** {@return the state of the lock, for messages: held by whom, or kept by {@code minHold}} */
    String state() {
        return keptByMinHold ? keptFor() + " after its release by " + where() : "held by " + describe();
    }

    private String keptFor() {
        return "kept by minHold for another " + DurationText.of(remaining);
    }

    private String where() {
        return host + " (pid " + pid + ", thread " + thread
                + traceId().map(id -> ", trace " + id).orElse("") + ")";
    }
}
