package io.holdfast.lock.redis.driver;

import static org.springframework.util.StringUtils.capitalize;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.ConnectionsInUseException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.QueryTimeoutException;

/** Turns drivers' exceptions into {@link LockStoreException}s that say what to check. */
public final class RedisFailures {

    /** Redis begins the text of an error with a word in capitals; drivers keep it, or wrap it. */
    private static final Pattern ERROR_CODE = Pattern.compile("^(?:[\\w.]+Exception: )?([A-Z]{3,})\\b");

    private static final String LETTUCE_TIMEOUT = "io.lettuce.core.RedisCommandTimeoutException";

    private static final String NOPERM = "NOPERM";
    /** The error of scripts for a lock whose fields they do not understand, see common.lua. */
    private static final String LAYOUT = "LAYOUT ";

    private static final String UNREADABLE = "LAYOUT unknown ";
    /** In an error of a script, before Redis 7. */
    private static final String READONLY = "READONLY You";
    /** All that Redis says to a new connection, before it closes it. */
    private static final String MAX_CLIENTS = "max number of clients";

    private static final String REPLICA = "The server is a replica: use the address of the primary, or Sentinel.";

    /** Where a password is, if not in spring.data.redis. */
    private static final String URLS = " holdfast.redis.url or holdfast.quorum.nodes if set.";

    /** The answer to SELECT. */
    private static final String NO_DATABASE = "DB index is out of range";

    private static final String NO_CLUSTER = "cluster support disabled";

    private static final Map<String, String> HINTS = Map.ofEntries(
            Map.entry("READONLY", REPLICA),
            Map.entry(READONLY, REPLICA),
            Map.entry(
                    MAX_CLIENTS,
                    "The server has reached maxclients: raise it, or find out which clients hold the connections."),
            Map.entry(
                    NO_CLUSTER,
                    "The server is not part of a Redis Cluster: set spring.data.redis.host and port instead of"
                            + " spring.data.redis.cluster.nodes, or list the nodes of a cluster."),
            Map.entry(
                    NO_DATABASE, "The server does not have that database: check spring.data.redis.database, or" + URLS),
            Map.entry(
                    NOPERM,
                    "The Redis user lacks a permission: check its ACL for the commands, keys and channels that locks"
                            + " need."),
            Map.entry("NOAUTH", "The server requires a password: set spring.data.redis.password, or add it to" + URLS),
            Map.entry(
                    "WRONGPASS",
                    "The user name or password is wrong: check spring.data.redis.username and password, or" + URLS),
            Map.entry("OOM", "Redis is out of memory: raise maxmemory, or find out what is using the memory."),
            Map.entry("LOADING", "Redis is still loading its data after a restart; try again shortly."),
            Map.entry("MASTERDOWN", "The replica has lost its primary; check replication."),
            Map.entry("NOREPLICAS", "Fewer replicas are connected than min-replicas-to-write requires."),
            Map.entry("MISCONF", "Redis cannot save its data and rejects writes: check its log and disk."),
            Map.entry("CLUSTERDOWN", "The cluster does not serve this slot: check CLUSTER INFO."),
            Map.entry("BUSY", "Redis is busy running another script: check its slow log."),
            Map.entry("MOVED", "The key is on another node of the cluster."),
            Map.entry("ASK", "The key is being moved to another node of the cluster."),
            Map.entry(
                    "WRONGTYPE",
                    "The key contains a value that is not a lock: check whether something else writes under the key"
                            + " prefix."),
            Map.entry(
                    LAYOUT,
                    "The lock was written by a later version of Holdfast. Upgrade Holdfast in this application."),
            Map.entry(
                    UNREADABLE,
                    "Something else writes under the key prefix, or the server is a mock of Redis whose Lua is incomplete."
                            + " Tests can use a real Redis, or locks in memory (@AutoConfigureTestLocks)."),
            Map.entry(
                    "ERR",
                    "Check that the server version is 6.2 or later, and that nothing else writes under the key prefix."));

    private RedisFailures() {}

    /**
     * {@return the failure as users see it}
     *
     * @param server where it is, without secrets; asked for where a message needs it
     */
    public static LockStoreException translate(RuntimeException failure, Supplier<String> server) {
        if (failure instanceof LockStoreException known) {
            return known;
        }
        restoreInterrupt(failure);
        Optional<String> error = serverError(failure);
        if (error.isPresent()) {
            return new LockStoreException(
                    capitalize(server.get()) + " rejected the call: " + sentence(LockKey.printable(error.get())) + " "
                            + hint(error.get()),
                    failure,
                    false);
        }
        if (FailureCauses.isUnknownPrimary(failure)) {
            return new LockStoreException(
                    capitalize(server.get())
                            + " cannot be found. Check that spring.data.redis.sentinel.master is the name that the"
                            + " sentinels use. (" + FailureCauses.rootOf(failure) + ")",
                    failure,
                    false);
        }
        Optional<Throwable> refused = FailureCauses.connectFailure(failure);
        if (refused.isPresent()) {
            return new LockStoreException(
                    capitalize(server.get())
                            + " cannot be reached. Check that the server is running and that its address is correct"
                            + " (spring.data.redis.*, or holdfast.redis.url or holdfast.quorum.nodes if set). ("
                            + FailureCauses.rootOf(refused.get()) + ")",
                    failure,
                    false);
        }
        if (isPoolExhausted(failure)) {
            return new LockStoreException(
                    "All connections for locks are in use (" + server.get()
                            + "). Raise holdfast.redis.connections, or find out why calls take so long. ("
                            + FailureCauses.rootOf(failure) + ")",
                    new ConnectionsInUseException(failure),
                    false);
        }
        if (FailureCauses.isTlsHandshake(failure)) {
            return new LockStoreException(
                    "The TLS handshake with " + server.get()
                            + " failed. Check that the server uses TLS on that port, and that this application trusts"
                            + " its certificate (spring.data.redis.ssl.bundle, or holdfast.redis.ssl.bundle or"
                            + " holdfast.quorum.ssl.bundle if set). (" + FailureCauses.rootOf(failure) + ")",
                    failure,
                    true);
        }
        String what = failure instanceof QueryTimeoutException || hasTimeout(failure)
                ? capitalize(server.get())
                        + " did not respond in time. Check that the server responds on that port, that both sides"
                        + " agree on TLS, and that holdfast.redis.command-timeout is long enough. "
                : "The connection to " + server.get()
                        + " was lost. Check that the server is running, that both sides agree on TLS, and that the network"
                        + " between the server and this process works. ";
        return new LockStoreException(what + "(" + FailureCauses.rootOf(failure) + ")", failure, true);
    }

    /** The last send certainly failed, but an earlier one of the same call may have arrived. */
    public static LockStoreException ofUnknownOutcome(LockStoreException failure) {
        return failure.outcomeUnknown()
                ? failure
                : new LockStoreException(String.valueOf(failure.getMessage()), failure.getCause(), true);
    }

    /** A connection broke under the command, at once: not a timeout, not an answer of the server, not an interrupt. */
    public static boolean isBrokenConnection(LockStoreException failure) {
        Throwable cause = failure.getCause();
        return failure.outcomeUnknown()
                && cause != null
                && !(cause instanceof QueryTimeoutException)
                && !hasTimeout(cause)
                && !Thread.currentThread().isInterrupted();
    }

    /** The connection was refused, so nothing was done. */
    public static boolean isUnreachable(RuntimeException failure) {
        return FailureCauses.connectFailure(failure).isPresent();
    }

    /** The server was not reached, or did not reply: another one may have replaced it. */
    public static boolean isNoAnswer(LockStoreException failure) {
        Throwable cause = failure.getCause();
        return failure.outcomeUnknown()
                || (cause != null && FailureCauses.connectFailure(cause).isPresent());
    }

    /**
     * The server is a replica. Redis before 7 says so in the middle of what it says of the script.
     */
    public static boolean isReadOnly(RuntimeException failure) {
        return serverError(causeOf(failure))
                .filter(text -> text.contains(READONLY))
                .isPresent();
    }

    /** Whether a replica gave that answer. Scripts for many locks say for each of them how it failed. */
    public static boolean isOfReplica(Wire.ScriptCall call, Object reply) {
        if (reply instanceof RuntimeException failure) {
            return isReadOnly(failure);
        }
        return call.script().isForMany()
                && reply instanceof byte[] text
                && new String(text, StandardCharsets.UTF_8).contains(READONLY);
    }

    private static RuntimeException causeOf(RuntimeException failure) {
        return failure instanceof LockStoreException && failure.getCause() instanceof RuntimeException cause
                ? cause
                : failure;
    }

    /** The server redirects the caller to another node of its cluster. */
    public static boolean isMoved(RuntimeException failure) {
        return serverError(causeOf(failure))
                .filter(text -> text.startsWith("MOVED ") || text.startsWith("ASK "))
                .isPresent();
    }

    /** The server answered, with an error. */
    static boolean isServerError(RuntimeException failure) {
        return serverError(failure).isPresent();
    }

    /** The server does not know the digest of the script. */
    public static boolean isNoScript(RuntimeException failure) {
        return serverError(failure).filter(text -> text.startsWith("NOSCRIPT")).isPresent();
    }

    private static String sentence(String error) {
        return error.endsWith(".") || error.endsWith("?") ? error : error + '.';
    }

    /** A script that runs into a missing permission fails with an ERR; the second wording is that of Redis 7. */
    private static String hint(String error) {
        boolean forbidden = error.contains("The user executing the script") || error.contains("ACL failure in script");
        if (forbidden) {
            return HINTS.getOrDefault(NOPERM, "");
        }
        if (error.contains("AUTH") && error.contains("without any password")) {
            return "The server has no password configured: remove spring.data.redis.password, or the password in"
                    + URLS;
        }
        Optional<String> inside = Stream.of(UNREADABLE, LAYOUT, READONLY, MAX_CLIENTS, NO_CLUSTER, NO_DATABASE)
                .filter(error::contains)
                .findFirst();
        return HINTS.getOrDefault(inside.or(() -> code(error)).orElse(""), "");
    }

    private static Optional<String> serverError(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            String message = t.getMessage();
            Optional<String> code = code(message);
            if (message != null && code.isPresent() && (HINTS.containsKey(code.get()) || isReply(t))) {
                return Optional.of(message);
            }
            Optional<String> ofNode = FailureCauses.isNoTopology(t) ? nodeError(t) : Optional.empty();
            if (ofNode.isPresent()) {
                return ofNode;
            }
        }
        return Optional.empty();
    }

    /**
     * No node reported the topology to the driver, so nothing was sent; drivers add the reply of each node as a suppressed
     * exception.
     */
    private static Optional<String> nodeError(Throwable ofCluster) {
        return Stream.of(ofCluster.getSuppressed())
                .map(RedisFailures::serverError)
                .flatMap(Optional::stream)
                .findFirst();
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
    public static boolean isPoolExhausted(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof NoSuchElementException) {
                return true;
            }
        }
        return false;
    }

    /** A wait has timed out. */
    public static boolean hasTimeout(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SocketTimeoutException || t.getClass().getName().equals(LETTUCE_TIMEOUT)) {
                return true;
            }
        }
        return false;
    }

    /** Pools clear the interrupt flag when they are interrupted; the engine needs to see it. */
    public static void restoreInterrupt(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
