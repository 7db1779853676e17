package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockStoreException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.QueryTimeoutException;

/** Turns what drivers throw into {@link LockStoreException}s that say what to check. */
final class RedisFailures {

    /** Redis begins the text of an error with a word in capitals; drivers keep it, or wrap it. */
    private static final Pattern ERROR_CODE = Pattern.compile("^(?:[\\w.]+Exception: )?([A-Z]{3,})\\b");

    private static final String NOPERM = "NOPERM";
    /** What scripts say of a lock whose fields they do not understand, see common.lua. */
    private static final String LAYOUT = "LAYOUT";

    private static final Map<String, String> HINTS = Map.ofEntries(
            Map.entry("READONLY", "The server is a replica: check that the address is the primary's, or use Sentinel."),
            Map.entry(
                    NOPERM,
                    "The Redis user may not do this: check its ACL for the commands and channels that locks need."),
            Map.entry("NOAUTH", "The server wants a password: set spring.data.redis.password."),
            Map.entry(
                    "WRONGPASS", "The user name or password is wrong: check spring.data.redis.username and password."),
            Map.entry("OOM", "Redis is out of memory: raise maxmemory, or find what fills it."),
            Map.entry("LOADING", "Redis is still loading its data after a start; try again shortly."),
            Map.entry("MASTERDOWN", "The replica has lost its primary; check replication."),
            Map.entry("NOREPLICAS", "Too few replicas are connected for min-replicas-to-write."),
            Map.entry("MISCONF", "Redis cannot save its data and refuses writes: check its log and disk."),
            Map.entry("CLUSTERDOWN", "The cluster does not serve this slot: check CLUSTER INFO."),
            Map.entry("BUSY", "Redis is busy with a script of somebody else's: check its slow log."),
            Map.entry("MOVED", "The key is on another node of the cluster."),
            Map.entry("ASK", "The key is being moved to another node of the cluster."),
            Map.entry(
                    "WRONGTYPE",
                    "The key holds something that is no lock: check who else writes under the key prefix."),
            Map.entry(
                    LAYOUT,
                    "A later version of this library keeps the lock, or something else has written to its key. Upgrade this"
                            + " application too."),
            Map.entry("ERR", "Check the server's version (6.2 or later), and who else writes under the key prefix."));

    private RedisFailures() {}

    static LockStoreException translate(RuntimeException failure) {
        if (failure instanceof LockStoreException known) {
            return known;
        }
        restoreInterrupt(failure);
        Optional<String> error = serverError(failure);
        if (error.isPresent()) {
            return new LockStoreException("Redis refused: " + error.get() + " " + hint(error.get()), failure, false);
        }
        if (isRefused(failure)) {
            return new LockStoreException(
                    "Redis cannot be reached. Check that the server runs, and its address (spring.data.redis.*, or lock.redis.* and lock.quorum.* if set). ("
                            + rootOf(failure) + ")",
                    failure,
                    false);
        }
        if (isPoolExhausted(failure)) {
            return new LockStoreException(
                    "All connections for locks are in use. Raise lock.redis.connections, or find out why calls take so"
                            + " long. (" + rootOf(failure) + ")",
                    failure,
                    false);
        }
        String what = failure instanceof QueryTimeoutException || hasTimeout(failure)
                ? "Redis did not answer in time. Check that the server answers, and lock.redis.command-timeout. "
                : "The connection to Redis broke. Check that the server runs, and what stands in between. ";
        return new LockStoreException(what + "(" + rootOf(failure) + ")", failure, true);
    }

    /** The last send certainly failed, but an earlier one of the same call may have arrived. */
    static LockStoreException ofUnknownOutcome(LockStoreException failure) {
        return failure.outcomeUnknown()
                ? failure
                : new LockStoreException(String.valueOf(failure.getMessage()), failure.getCause(), true);
    }

    /** A connection broke under the command, at once: not a timeout, not an answer of the server, not an interrupt. */
    static boolean isBrokenConnection(LockStoreException failure) {
        Throwable cause = failure.getCause();
        return failure.outcomeUnknown()
                && cause != null
                && !(cause instanceof QueryTimeoutException)
                && !hasTimeout(cause)
                && !Thread.currentThread().isInterrupted();
    }

    /** Nobody listens there: nothing was sent. Jedis keeps what each address said among the suppressed. */
    private static boolean isRefused(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (isConnectFailure(t) || Stream.of(t.getSuppressed()).anyMatch(RedisFailures::isConnectFailure)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isConnectFailure(Throwable t) {
        return t instanceof ConnectException || t instanceof UnknownHostException;
    }

    /** Nobody listens there, so nothing was done. */
    static boolean isUnreachable(RuntimeException failure) {
        return isRefused(failure);
    }

    /** The server was not reached, or did not say anything: another one may have taken its place. */
    static boolean isNoAnswer(LockStoreException failure) {
        Throwable cause = failure.getCause();
        return failure.outcomeUnknown() || (cause != null && isRefused(cause));
    }

    /** The server sends the caller to another one of its cluster. */
    static boolean isMoved(RuntimeException failure) {
        return serverError(
                        failure instanceof LockStoreException && failure.getCause() != null
                                ? failure.getCause()
                                : failure)
                .filter(text -> text.startsWith("MOVED ") || text.startsWith("ASK "))
                .isPresent();
    }

    static boolean isNoScript(RuntimeException failure) {
        return serverError(failure).filter(text -> text.startsWith("NOSCRIPT")).isPresent();
    }

    /** A script that runs into a missing permission fails with an ERR; the second wording is that of Redis 7. */
    private static String hint(String error) {
        boolean forbidden = error.contains("The user executing the script") || error.contains("ACL failure in script");
        String code = error.contains(LAYOUT + ' ') ? LAYOUT : code(error).orElse("");
        return HINTS.getOrDefault(forbidden ? NOPERM : code, "");
    }

    private static Optional<String> serverError(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            String message = t.getMessage();
            Optional<String> code = code(message);
            if (message != null && code.isPresent() && (HINTS.containsKey(code.get()) || isReply(t))) {
                return Optional.of(message);
            }
        }
        return Optional.empty();
    }

    private static boolean isReply(Throwable t) {
        String type = t.getClass().getName();
        return (type.startsWith("redis.clients.jedis.exceptions.Jedis") && type.endsWith("DataException"))
                || (type.startsWith("io.lettuce.core.Redis") && type.endsWith("ExecutionException"))
                || type.endsWith("NoScriptException");
    }

    private static Optional<String> code(@Nullable String message) {
        Matcher matcher = ERROR_CODE.matcher(message == null ? "" : message);
        return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
    }

    /** Nothing was sent. */
    private static boolean isPoolExhausted(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof NoSuchElementException) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasTimeout(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof java.net.SocketTimeoutException) {
                return true;
            }
        }
        return false;
    }

    /** Pools clear the interrupt flag when they are interrupted; the engine needs to see it. */
    private static void restoreInterrupt(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
