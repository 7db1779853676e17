package io.holdfast.lock.redis.driver;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;

/** Finds out from drivers' exceptions why a connection could not be made. */
final class FailureCauses {

    private static final String LETTUCE_NO_TOPOLOGY =
            "io.lettuce.core.cluster.topology.DefaultClusterTopologyRefresh$CannotRetrieveClusterPartitions";

    private static final String JEDIS_NO_SENTINEL = "All sentinels down";

    private static final String JEDIS_NO_TOPOLOGY = "Could not initialize cluster slots cache";

    /** Lettuce's message about a server without TLS. */
    private static final String NOT_TLS = "io.netty.handler.ssl.NotSslRecordException";

    /** What Lettuce says if sentinels reply that they do not know the primary; and Jedis. */
    private static final List<String> NO_PRIMARY =
            List.of("Cannot provide redisAddress using sentinel", "seems to be not monitored");

    private FailureCauses() {}

    /** The connection was refused, so nothing was sent. Drivers add the failure of each address as a suppressed exception. */
    static Optional<Throwable> connectFailure(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            boolean isOfCluster = isNoTopology(t);
            Optional<Throwable> found = Stream.concat(Stream.of(t), Stream.of(t.getSuppressed()))
                    .flatMap(each -> isOfCluster
                            ? Stream.concat(Stream.of(rootOf(each)), Stream.of(each.getSuppressed()))
                            : Stream.of(each))
                    .filter(FailureCauses::isRefused)
                    .findFirst();
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private static boolean isRefused(Throwable failure) {
        return failure instanceof ConnectException
                || failure instanceof UnknownHostException
                || String.valueOf(failure.getMessage()).startsWith(JEDIS_NO_SENTINEL);
    }

    /** No node of a cluster reported the topology, so nothing was sent; the failures of nodes are suppressed exceptions. */
    static boolean isNoTopology(Throwable failure) {
        return failure.getClass().getName().equals(LETTUCE_NO_TOPOLOGY)
                || String.valueOf(failure.getMessage()).startsWith(JEDIS_NO_TOPOLOGY);
    }

    /** The sentinels do not monitor a primary of that name. Drivers ask them when they connect, so nothing was sent. */
    static boolean isUnknownPrimary(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            String message = String.valueOf(t.getMessage());
            if (NO_PRIMARY.stream().anyMatch(message::contains)) {
                return true;
            }
        }
        return false;
    }

    /** One side does not trust the other, or does not speak TLS. */
    static boolean isTlsHandshake(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SSLHandshakeException || t.getClass().getName().equals(NOT_TLS)) {
                return true;
            }
        }
        return false;
    }

    static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
