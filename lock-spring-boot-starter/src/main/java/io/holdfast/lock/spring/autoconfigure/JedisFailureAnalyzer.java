package io.holdfast.lock.spring.autoconfigure;

import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/**
 * Jedis connects to a cluster, and asks sentinels for the primary, at startup: without their replies the connection factory cannot
 * be created.
 */
@Order(0)
final class JedisFailureAnalyzer extends AbstractFailureAnalyzer<RuntimeException> {

    private static final String DRIVER = "redis.clients.jedis.exceptions.";
    private static final String NODES = "spring.data.redis.cluster.nodes";
    private static final String SENTINEL = "spring.data.redis.sentinel.";

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, RuntimeException cause) {
        return Stream.<Throwable>iterate(cause, Objects::nonNull, Throwable::getCause)
                .filter(each -> each.getClass().getName().startsWith(DRIVER))
                .map(JedisFailureAnalyzer::analysisOf)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static @Nullable FailureAnalysis analysisOf(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        if (failure.getClass().getSimpleName().equals("JedisClusterOperationException")) {
            return ofCluster(failure);
        } else if (message.contains("All sentinels down")) {
            return ofSentinels(failure, "that the sentinels in " + SENTINEL + "nodes are running and reachable");
        } else if (message.contains("not monitored")) {
            return ofSentinels(failure, "that " + SENTINEL + "master is the name that the sentinels use");
        }
        return null;
    }

    /** Jedis says only that it "could not initialize cluster slots cache". What the nodes replied is suppressed in it. */
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

    private static FailureAnalysis ofSentinels(Throwable failure, String check) {
        return new FailureAnalysis(
                "Jedis asks the sentinels for the Redis primary at startup, but this failed: " + failure.getMessage(),
                "Check " + check + ", and that " + SENTINEL + "username and password are correct.",
                failure);
    }
}
