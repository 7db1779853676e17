package io.holdfast.lock.spring.autoconfigure;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/**
 * Jedis connects to a cluster at startup, and reports only that it "could not initialize cluster slots cache". What the nodes
 * replied is in the suppressed exceptions.
 */
@Order(0)
final class ClusterFailureAnalyzer extends AbstractFailureAnalyzer<RuntimeException> {

    private static final String TYPE = "redis.clients.jedis.exceptions.JedisClusterOperationException";
    private static final String NODES = "spring.data.redis.cluster.nodes";

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, RuntimeException cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each.getClass().getName().equals(TYPE)) {
                return ofCluster(each);
            }
        }
        return null;
    }

    private static FailureAnalysis ofCluster(Throwable failure) {
        String replies = Arrays.stream(failure.getSuppressed())
                .map(each -> String.valueOf(each.getMessage()).replaceFirst("\\.$", ""))
                .distinct()
                .collect(Collectors.joining("; "));
        return replies.contains("cluster support disabled")
                ? new FailureAnalysis(
                        "The Redis server in " + NODES + " is not part of a Redis Cluster: " + replies + ".",
                        "For a single server, set spring.data.redis.host and spring.data.redis.port instead of " + NODES
                                + ". For a cluster, list its nodes.",
                        failure)
                : new FailureAnalysis(
                        "Jedis connects to the Redis Cluster at startup, but cannot reach it: " + replies + ".",
                        "Check that the nodes in " + NODES + " are running and reachable, and that the user and"
                                + " password are correct.",
                        failure);
    }
}
