package io.holdfast.lock.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/** Jedis asks the sentinels for the primary at startup. Without their reply the connection factory cannot be created. */
@Order(0)
final class SentinelFailureAnalyzer extends AbstractFailureAnalyzer<RuntimeException> {

    private static final String DRIVER = "redis.clients.jedis.exceptions.";
    private static final String PROPERTIES = "spring.data.redis.sentinel.";

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, RuntimeException cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            String message = String.valueOf(each.getMessage());
            if (!each.getClass().getName().startsWith(DRIVER)) {
                continue;
            }
            if (message.contains("All sentinels down")) {
                return of(message, "that the sentinels in " + PROPERTIES + "nodes are running and reachable", each);
            }
            if (message.contains("not monitored")) {
                return of(message, "that " + PROPERTIES + "master is the name that the sentinels use", each);
            }
        }
        return null;
    }

    private static FailureAnalysis of(String message, String check, Throwable cause) {
        return new FailureAnalysis(
                "Jedis asks the sentinels for the Redis primary at startup, but this failed: " + message,
                "Check " + check + ", and that " + PROPERTIES + "username and password are correct.",
                cause);
    }
}
