package io.holdfast.lock.redis.driver.lettuce;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

/** The application's client configuration, except for timeouts and failure handling. Reads from primaries only. */
final class LettuceOwnClient {

    private static final Duration REFRESH_PAUSE = Duration.ofMillis(500);

    private LettuceOwnClient() {}

    static LettuceClientConfiguration configuration(
            LettuceClientConfiguration original, Duration timeout, ClientResources resources, boolean isCluster) {
        ClientOptions options = options(original.getClientOptions().orElseGet(ClientOptions::create), timeout);
        var builder = LettuceClientConfiguration.builder()
                .clientResources(resources)
                .clientOptions(isCluster ? refreshing(options) : options)
                .commandTimeout(timeout)
                .shutdownTimeout(original.getShutdownTimeout())
                .shutdownQuietPeriod(original.getShutdownQuietPeriod());
        original.getClientName().ifPresent(builder::clientName);
        original.getRedisCredentialsProviderFactory().ifPresent(builder::redisCredentialsProviderFactory);
        if (original.isUseSsl()) {
            var ssl = builder.useSsl().verifyPeer(original.getVerifyMode());
            if (original.isStartTls()) {
                ssl.startTls();
            }
        }
        return builder.build();
    }

    private static ClientOptions options(ClientOptions options, Duration timeout) {
        return options.mutate()
                .autoReconnect(true)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .timeoutOptions(TimeoutOptions.enabled(timeout))
                .socketOptions(options.getSocketOptions()
                        .mutate()
                        .connectTimeout(timeout)
                        .build())
                .build();
    }

    /** Looks anew for the nodes as soon as a redirection, or a lost connection, hints at a change. */
    private static ClientOptions refreshing(ClientOptions options) {
        ClusterClientOptions.Builder builder = options instanceof ClusterClientOptions cluster
                ? cluster.mutate()
                : ClusterClientOptions.builder(options);
        return builder.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enableAllAdaptiveRefreshTriggers()
                        .adaptiveRefreshTriggersTimeout(REFRESH_PAUSE)
                        .build())
                .build();
    }
}
