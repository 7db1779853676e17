package io.holdfast.lock.spring.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * A separate Redis for locks: exactly one of a single server, sentinels and a cluster. A bean of this type takes precedence over {@code
 * holdfast.redis.url} and its bundle, {@code holdfast.quorum.nodes}, {@code holdfast.redis.connection} and marked connection factories; for
 * example, a test creates one from a container. Locks use dedicated connections of Jedis to it.
 */
public interface LockConnectionDetails extends ConnectionDetails {

    /** {@return the user; null for the default user} */
    default @Nullable String getUsername() {
        return null;
    }

    /** {@return the password; null for none} */
    default @Nullable String getPassword() {
        return null;
    }

    /** {@return the SSL bundle for TLS; null for no TLS} */
    default @Nullable SslBundle getSslBundle() {
        return null;
    }

    /** {@return the single server} */
    default @Nullable Standalone getStandalone() {
        return null;
    }

    /** {@return the sentinels, which know the primary} */
    default @Nullable Sentinel getSentinel() {
        return null;
    }

    /** {@return some nodes of the cluster} */
    default @Nullable Cluster getCluster() {
        return null;
    }

    /**
     * The address of a server.
     *
     * @param host name or IP address
     * @param port 1 to 65535
     */
    record Node(String host, int port) {}

    /**
     * A single server.
     *
     * @param host name or IP address
     * @param port 1 to 65535
     * @param database 0 or more
     */
    record Standalone(String host, int port, int database) {}

    /**
     * Sentinels, whose certificates are checked with the same bundle.
     *
     * @param master the name by which they know the primary
     * @param nodes their addresses, at least one
     * @param database of the primary, 0 or more
     * @param username the user for the sentinels themselves; null for the default user
     * @param password the password for the sentinels themselves; null for none
     */
    record Sentinel(
            String master,
            List<Node> nodes,
            int database,
            @Nullable String username,
            @Nullable String password) {

        /** Without the password. */
        @Override
        public String toString() {
            return master + " by " + nodes;
        }
    }

    /**
     * A cluster.
     *
     * @param nodes the addresses of some of its nodes, at least one; the others are found through these
     */
    record Cluster(List<Node> nodes) {}
}
