package io.holdfast.lock.redis.driver.lettuce;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.Optional;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/** The application's client configuration, but for timeouts and what is done after failures. */
record LettuceOwnClient(
        LettuceClientConfiguration original, Duration timeout, ClientResources resources, boolean isCluster)
        implements LettuceClientConfiguration {

    private static final Duration REFRESH_PAUSE = Duration.ofMillis(500);

    @Override
    public boolean isUseSsl() {
        return original.isUseSsl();
    }

    @Override
    @Deprecated
    @SuppressWarnings("InlineMeSuggester") // only the interface is called
    public boolean isVerifyPeer() {
        return getVerifyMode() != SslVerifyMode.NONE;
    }

    @Override
    public SslVerifyMode getVerifyMode() {
        return original.getVerifyMode();
    }

    @Override
    public boolean isStartTls() {
        return original.isStartTls();
    }

    @Override
    public Optional<ClientResources> getClientResources() {
        return Optional.of(resources);
    }

    @Override
    public Optional<ClientOptions> getClientOptions() {
        ClientOptions options = original.getClientOptions().orElseGet(ClientOptions::create);
        ClientOptions own = options.mutate()
                .autoReconnect(true)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .timeoutOptions(TimeoutOptions.enabled(timeout))
                .socketOptions(options.getSocketOptions()
                        .mutate()
                        .connectTimeout(timeout)
                        .build())
                .build();
        return Optional.of(isCluster ? refreshing(own) : own);
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

    @Override
    public Optional<String> getClientName() {
        return original.getClientName();
    }

    @Override
    public Optional<ReadFrom> getReadFrom() {
        return Optional.empty();
    }

    @Override
    public Optional<RedisCredentialsProviderFactory> getRedisCredentialsProviderFactory() {
        return original.getRedisCredentialsProviderFactory();
    }

    @Override
    public Duration getCommandTimeout() {
        return timeout;
    }

    @Override
    public Duration getShutdownTimeout() {
        return original.getShutdownTimeout();
    }

    @Override
    public Duration getShutdownQuietPeriod() {
        return original.getShutdownQuietPeriod();
    }
}
