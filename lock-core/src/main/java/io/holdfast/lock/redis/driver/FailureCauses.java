package io.holdfast.lock.redis.driver;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;

/** Finds out from drivers' exceptions why a connection could not be made. */
final class FailureCauses {

    /** No node of a cluster reported the topology to Lettuce, so nothing was sent. */
    static final String NO_TOPOLOGY =
            "io.lettuce.core.cluster.topology.DefaultClusterTopologyRefresh$CannotRetrieveClusterPartitions";

    /** Lettuce's message about a server without TLS. */
    private static final String NOT_TLS = "io.netty.handler.ssl.NotSslRecordException";

    /** What Lettuce says if sentinels reply that they do not know the primary. */
    private static final String NO_PRIMARY = "Cannot provide redisAddress using sentinel";

    private FailureCauses() {}

    /** The connection was refused, so nothing was sent. Drivers add the failure of each address as a suppressed exception. */
    static Optional<Throwable> connectFailure(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            boolean isOfCluster = t.getClass().getName().equals(NO_TOPOLOGY);
            Optional<Throwable> found = Stream.concat(Stream.of(t), Stream.of(t.getSuppressed()))
                    .map(each -> isOfCluster ? rootOf(each) : each)
                    .filter(each -> each instanceof ConnectException || each instanceof UnknownHostException)
                    .findFirst();
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /** The sentinels do not monitor a primary of that name. Lettuce asks them when it connects, so nothing was sent. */
    static boolean isUnknownPrimary(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (String.valueOf(t.getMessage()).startsWith(NO_PRIMARY)) {
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
