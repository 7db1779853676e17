package io.holdfast.lock.redis.driver;

import static org.springframework.util.StringUtils.capitalize;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.ConnectionsInUseException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.springframework.dao.QueryTimeoutException;

/** Turns drivers' exceptions into {@link LockStoreException}s that state what to check. */
public final class RedisFailures {

    /** Redis begins the text of an error with a word in capitals; drivers keep it, or wrap it. */
    private static final Pattern ERROR_CODE = Pattern.compile("^(?:[\\w.]+Exception: )?[A-Z]{3,}\\b");

    private static final String LETTUCE_TIMEOUT = "io.lettuce.core.RedisCommandTimeoutException";

    /** In an error of a script, before Redis 7. */
    private static final String READONLY = "READONLY You";

    /** Where a password is configured, if not under spring.data.redis. */
    private static final String URLS = " holdfast.redis.url or holdfast.quorum.nodes if set.";

    /** Advice on what to check.
     *
     * @param pattern a pattern of a part of the server's error message that contains no key
     */
    private record KnownError(String pattern, String advice) {}

    private static final String PERMISSION =
            "The Redis user lacks a permission: check its ACL for the commands, keys and channels that locks need.";

    private static final List<KnownError> KNOWN_ERRORS = List.of( // the first match counts
            new KnownError("The user executing the script", PERMISSION),
            new KnownError("ACL failure in script", PERMISSION), // since Redis 7
            new KnownError(
                    "without any password",
                    "The server has no password configured: remove spring.data.redis.password, or the password in"
                            + URLS),
            new KnownError(
                    "(?i)unknown (?:Redis )?(?:sub)?command(?: [`']\\w+[`'])?",
                    "A command that locks need is disabled or renamed on the server (rename-command), or a proxy in between"
                            + " does not support it: enable it, or connect to the server directly."),
            new KnownError(
                    "LAYOUT unknown ", // of scripts, for a lock whose fields they do not understand, see common.lua
                    "Something else writes under the key prefix, or the server is a mock of Redis whose Lua is incomplete."
                            + " Tests can use a real Redis, or locks in memory (@AutoConfigureTestLocks)."),
            new KnownError(
                    "LAYOUT \\d+",
                    "The lock was written by a later version of Holdfast. Upgrade Holdfast in this application."),
            new KnownError(
                    "max number of clients", // Redis' only reply to a new connection, before closing it
                    "The server has reached maxclients: raise it, or find out which clients hold the connections."),
            new KnownError(
                    "cluster support disabled",
                    "The server is not part of a Redis Cluster: set spring.data.redis.host and port instead of"
                            + " spring.data.redis.cluster.nodes, or list the nodes of a cluster."),
            new KnownError(
                    "DB index is out of range",
                    "The server does not have that database: check spring.data.redis.database, or" + URLS),
            new KnownError("READONLY ", "The server is a replica: use the address of the primary, or Sentinel."),
            new KnownError(
                    "NOPERM (?:(?:this user|User \\S+) has no permissions to run the '[\\w|]+' command)?", PERMISSION),
            new KnownError(
                    "NOAUTH ", "The server requires a password: set spring.data.redis.password, or add it to" + URLS),
            new KnownError(
                    "WRONGPASS ",
                    "The user name or password is wrong: check spring.data.redis.username and password, or" + URLS),
            new KnownError("OOM ", "Redis is out of memory: raise maxmemory, or find out what is using the memory."),
            new KnownError("LOADING ", "Redis is still loading its data after a restart; try again shortly."),
            new KnownError("MASTERDOWN ", "The replica has lost its primary; check replication."),
            new KnownError("NOREPLICAS ", "Fewer replicas are connected than min-replicas-to-write requires."),
            new KnownError("MISCONF ", "Redis cannot save its data and rejects writes: check its log and disk."),
            new KnownError("CLUSTERDOWN ", "The cluster does not serve this slot: check CLUSTER INFO."),
            new KnownError("BUSY ", "Redis is busy running another script: check its slow log."),
            new KnownError("MOVED ", "The key is on another node of the cluster."),
            new KnownError("ASK ", "The key is being moved to another node of the cluster."),
            new KnownError(
                    "TRYAGAIN ", "The slot is being moved to another node of the cluster; try again afterwards."),
            new KnownError(
                    "WRONGTYPE ",
                    "The key contains a value that is not a lock: check whether something else writes under the key"
                            + " prefix."),
            new KnownError(
                    "ERR ",
                    "Check that the server version is 6.2 or later, and that nothing else writes under the key prefix."));

    /** The messages of Lettuce and of Jedis if sentinels do not know the primary. */
    private static final Pattern NO_PRIMARY =
            Pattern.compile("Cannot provide redisAddress using sentinel|seems to be not monitored");

    private static final String JEDIS_NO_SENTINEL = "All sentinels down";
    private static final String JEDIS_NO_TOPOLOGY = "Could not initialize cluster slots cache";
    private static final String LETTUCE_NO_TOPOLOGY =
            "io.lettuce.core.cluster.topology.DefaultClusterTopologyRefresh$CannotRetrieveClusterPartitions";

    /** Why there is no connection, if the type of the exception does not tell; a server also replies with some of these words. */
    private static final Pattern NOT_CONNECTED = Pattern.compile(
            "NoRouteToHost|BindException|unreachable|not permitted|denied|open files|No file descriptors");

    private static final List<String> NO_FILES = List.of("Too many open files", "No file descriptors available");

    private static final Pattern ARGUMENTS = Pattern.compile(",? with args beginning with.*");

    /** Lettuce's message about a server without TLS. */
    private static final String NOT_TLS = "io.netty.handler.ssl.NotSslRecordException";

    /** The messages of the JDK, and of Jedis for a HostnameVerifier, about a certificate for another host. */
    private static final Pattern OTHER_HOST = Pattern.compile("^No (name matching|subject alt)|hostname verification");

    private RedisFailures() {}

    /**
     * {@return the failure as users see it}
     *
     * @param where the server, without secrets
     * @param masked whether the call has something to hide; then neither the message nor a cause contains the server's text
     */
    public static LockStoreException translate(RuntimeException failure, String where, boolean masked) {
        if (causes(failure).anyMatch(InterruptedException.class::isInstance)) {
            Thread.currentThread().interrupt(); // pools and others clear the flag, and the engine needs to see it
        }
        for (Throwable each : causes(failure).toList()) {
            if (each instanceof LockStoreException known) {
                return known;
            }
        }
        String server = capitalize(where);
        Optional<String> error = serverError(failure);
        if (error.isPresent()) {
            return new LockStoreException(
                    server + " rejected the call: " + explain(error.get(), masked), masked ? null : failure, false);
        }
        Optional<Throwable> refused = connectFailure(failure);
        Throwable cause = failure;
        boolean wasSent = false;
        String what;
        if (causes(failure).anyMatch(t -> NO_PRIMARY.matcher(message(t)).find())) {
            what = server
                    + " cannot be found. Check that spring.data.redis.sentinel.master is the name that the sentinels"
                    + " use.";
        } else if (refused.filter(t -> NO_FILES.contains(message(t))).isPresent()) {
            what = "This process cannot open a connection to " + where
                    + ", because it has too many open files. Raise its"
                    + " limit (ulimit -n), or find out what keeps them open.";
        } else if (refused.isPresent()) {
            what = server + " cannot be reached. Check that the server is running, that its address is correct"
                    + " (spring.data.redis.*, or holdfast.redis.url or holdfast.quorum.nodes if set), and that the network"
                    + " between the server and this process works.";
        } else if (causes(failure).anyMatch(NoSuchElementException.class::isInstance)) { // from a pool
            what = "All connections for locks are in use (" + where
                    + "). Raise holdfast.redis.max-connections, or find out why calls take so long.";
            cause = new ConnectionsInUseException(failure);
        } else {
            what = broken(failure, where);
            wasSent = true;
        }
        return new LockStoreException(what + " (" + reasons(failure) + ")", cause, wasSent);
    }

    /**
     * {@return what a server replied, on one line, and what to check} Servers, proxies and scripts may quote anything that was sent to them,
     * in any form. So if the call has something to hide, only words that are known are shown; the arguments of an unknown command, among
     * them a password, never are.
     */
    public static String explain(String error, boolean masked) {
        String text = LockKey.printable(ARGUMENTS.matcher(error).replaceAll(""));
        String shown = masked ? "an error that is not shown because keys are masked." : sentence(text);
        for (KnownError each : KNOWN_ERRORS) {
            Matcher known = Pattern.compile(each.pattern()).matcher(error);
            if (known.find()) {
                return (masked ? known.group().strip() + " …" : shown) + " " + each.advice();
            }
        }
        return shown;
    }

    private static String broken(RuntimeException failure, String where) {
        boolean otherHost = causes(failure).map(RedisFailures::message).anyMatch(OTHER_HOST.asPredicate());
        if (otherHost || causes(failure).anyMatch(t -> t instanceof SSLHandshakeException || isA(t, NOT_TLS))) {
            return "The TLS handshake with " + where + " failed. Check that "
                    + (otherHost
                            ? "the server's certificate contains the host name or IP address that this application"
                                    + " connects to (in a cluster, the one that each node announces)."
                            : "the server uses TLS on that port, and that this application trusts its certificate"
                                    + " (spring.data.redis.ssl.bundle, or holdfast.redis.ssl.bundle or"
                                    + " holdfast.quorum.ssl.bundle if set).");
        }
        return failure instanceof QueryTimeoutException || hasTimeout(failure)
                ? capitalize(where) + " did not respond in time. Check that the server responds on that port, that both"
                        + " sides agree on TLS, and that holdfast.redis.command-timeout is long enough."
                : "The connection to " + where + " was lost. Check that the server is running and is a Redis server,"
                        + " that both sides agree on TLS, and that the network between the server and this process works.";
    }

    /** The last send certainly failed, but an earlier one of the same call may have arrived. */
    public static LockStoreException ofUnknownOutcome(LockStoreException failure) {
        return failure.outcomeUnknown()
                ? failure
                : new LockStoreException(String.valueOf(failure.getMessage()), failure.getCause(), true);
    }

    /** The connection broke during the command: no timeout, no reply from the server, no interrupt. */
    public static boolean isBrokenConnection(LockStoreException failure) {
        Throwable cause = failure.getCause();
        return failure.outcomeUnknown()
                && cause != null
                && !(cause instanceof QueryTimeoutException)
                && !hasTimeout(cause)
                && !Thread.currentThread().isInterrupted();
    }

    /** The server was not reached, or did not reply: another one may have replaced it. */
    public static boolean isNoAnswer(LockStoreException failure) {
        return failure.outcomeUnknown() || isUnreachable(failure);
    }

    /** The connection was refused, so nothing was done. */
    public static boolean isUnreachable(Throwable failure) {
        return connectFailure(failure).isPresent();
    }

    /**
     * The server is a replica. Before Redis 7 this is in the middle of the script's error, and scripts for many locks return it in their
     * text.
     */
    public static boolean isReadOnly(Object reply) {
        Optional<String> shown = reply instanceof Throwable failure
                ? serverError(failure)
                : Optional.of(reply instanceof byte[] text ? new String(text, StandardCharsets.UTF_8) : "");
        return shown.filter(text -> text.contains(READONLY)).isPresent();
    }

    /** The server replied with an error; if beginnings are given, with one that starts with one of them. */
    public static boolean isServerError(RuntimeException failure, String... beginnings) {
        return serverError(failure)
                .filter(text -> beginnings.length == 0 || Stream.of(beginnings).anyMatch(text::startsWith))
                .isPresent();
    }

    private static String sentence(String error) {
        return error.endsWith(".") || error.endsWith("?") ? error : error + '.';
    }

    private static Optional<String> serverError(Throwable failure) {
        return causes(failure)
                .filter(RedisFailures::isServerReply)
                .map(RedisFailures::message)
                .findFirst();
    }

    private static boolean isServerReply(Throwable t) {
        return isA(t, "redis.clients.jedis.exceptions.JedisDataException")
                || isA(t, "io.lettuce.core.RedisCommandExecutionException")
                || (ERROR_CODE.matcher(message(t)).find()
                        && KNOWN_ERRORS.stream()
                                .anyMatch(each -> Pattern.compile(each.pattern())
                                        .matcher(message(t))
                                        .find()));
    }

    /** A wait has timed out. */
    static boolean hasTimeout(Throwable failure) {
        return attempts(failure).anyMatch(t -> t instanceof SocketTimeoutException || isA(t, LETTUCE_TIMEOUT));
    }

    /** The connection was refused, so nothing was sent. */
    private static Optional<Throwable> connectFailure(Throwable failure) {
        return attempts(failure)
                .filter(t -> t instanceof ConnectException
                        || t instanceof UnknownHostException
                        || (t instanceof SocketException
                                && NOT_CONNECTED.matcher(t.toString()).find())
                        || message(t).startsWith(JEDIS_NO_SENTINEL))
                .findFirst();
    }

    private static boolean isA(Throwable failure, String type) {
        return Stream.<Class<?>>iterate(failure.getClass(), Objects::nonNull, Class::getSuperclass)
                .anyMatch(each -> each.getName().equals(type));
    }

    private static String message(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }

    /**
     * The failure and its causes; if no node of a cluster reported the topology, so that nothing was sent, also the failures of all
     * nodes, which drivers add as suppressed exceptions.
     */
    private static Stream<Throwable> causes(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .flatMap(t -> isA(t, LETTUCE_NO_TOPOLOGY) || message(t).startsWith(JEDIS_NO_TOPOLOGY)
                        ? Stream.concat(
                                Stream.of(t), Stream.of(t.getSuppressed()).flatMap(RedisFailures::causes))
                        : Stream.of(t));
    }

    /**
     * The causes, and the failures of each address, which drivers add as suppressed exceptions. No deeper: the last attempt of a call that
     * a driver has repeated may not have been sent, but an earlier one may have been.
     */
    private static Stream<Throwable> attempts(Throwable failure) {
        return causes(failure).flatMap(t -> Stream.concat(Stream.of(t), Stream.of(t.getSuppressed())));
    }

    /** What is at the bottom of the failure; if there were several addresses or nodes, for each of them. */
    private static String reasons(Throwable failure) {
        String found = attempts(failure)
                .map(RedisFailures::rootOf)
                .filter(root -> root.getSuppressed().length == 0)
                .map(Throwable::toString)
                .distinct()
                .collect(Collectors.joining("; "));
        return LockKey.printable(found.isEmpty() ? rootOf(failure).toString() : found);
    }

    private static Throwable rootOf(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).reduce(failure, (above, below) -> below);
    }
}
