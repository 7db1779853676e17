package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What the endpoint answers. Times are texts as {@code Duration} and {@code Instant} have them, so they look the same
 * whatever the application's JSON mapper does with such types.
 */
final class LocksDescriptors {

    private static final String HIDDEN = "******";

    private LocksDescriptors() {}

    /** The text of a key, unless keys are hidden. */
    static String key(LockKey key, boolean shown) {
        return shown ? key.toString() : HIDDEN;
    }

    /** In milliseconds: nobody reads what is finer. */
    static String text(Duration time) {
        return time.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    static String text(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    /** What this client has to do with locks. */
    record Locks(
            List<Held> held,
            List<Waiting> waiting,
            @Nullable Long wakeUps,
            List<Definition> definitions,
            List<Leader> leadership)
            implements OperationResponseBody {}

    /** A role of this instance. Whether another one leads is only known to the store, which may not respond. */
    record Leader(
            String role,
            boolean candidate,
            boolean leader,
            @Nullable Long token,
            @Nullable String since,
            @Nullable String leaderHost,
            @Nullable Long leaderPid,
            @Nullable String leaderClientId) {}

    record Held(
            String key, String name, String mode, long fencingToken, String thread, String held, String remaining) {}

    record Waiting(String key, String name, String mode, String thread, String waited) {}

    /** An annotated method. Where a time is missing, the client's default is in force, or there is no such limit. */
    record Definition(
            String bean,
            String method,
            String name,
            List<String> key,
            String mode,
            @Nullable Integer limit,
            @Nullable Integer weight,
            boolean fair,
            @Nullable String lease,
            @Nullable String waitFor,
            @Nullable String minHold,
            @Nullable String maxHold,
            @Nullable Integer maxWaiting,
            List<Further> further) {}

    /** What else such a method locks, if it has several annotations. */
    record Further(
            String name,
            List<String> key,
            String mode,
            @Nullable Integer limit,
            @Nullable Integer weight,
            boolean fair) {}

    /** One lock as the store sees it. */
    record Lock(String key, boolean held, List<Holder> holders, int waiters, long lastToken)
            implements OperationResponseBody {}

    /** Somebody who holds a lock. */
    record Holder(
            String clientId,
            String host,
            long pid,
            String thread,
            String mode,
            String since,
            String remaining,
            long fencingToken) {

        static List<Holder> all(List<LockHolder> holders) {
            return holders.stream()
                    .map(each -> new Holder(
                            each.clientId(),
                            each.host(),
                            each.pid(),
                            each.thread(),
                            each.mode().name(),
                            text(each.since()),
                            text(each.remaining()),
                            each.fencingToken()))
                    .toList();
        }
    }

    /** What a forced release has done. */
    record Released(String key, List<Holder> released) implements OperationResponseBody {}

    record Problem(String error) implements OperationResponseBody {}
}
