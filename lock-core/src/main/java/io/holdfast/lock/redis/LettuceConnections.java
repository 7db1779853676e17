package io.holdfast.lock.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/**
 * Derives a Lettuce factory with the locks' own timeouts. Commands that were on their way when a connection broke fail
 * at once, instead of being sent again behind our back: the store does that itself, and knows then that it did. A lost
 * connection is tried again every 100 ms, where Lettuce would let pass up to 30 s.
 */
final class LettuceConnections {

    private static final Duration RECONNECT_DELAY = Duration.ofMillis(100);

    private LettuceConnections() {}

    static boolean fits(RedisConnectionFactory factory) {
        return factory.getClass() == LettuceConnectionFactory.class || factory instanceof OwnFactory;
    }

    static boolean isCluster(RedisConnectionFactory factory) {
        return ((LettuceConnectionFactory) factory).isClusterAware();
    }

    static RedisConnectionFactory derive(RedisConnectionFactory applications, Duration timeout) {
        LettuceConnectionFactory original = (LettuceConnectionFactory) applications;
        ClientResources resources = resources(original.getClientConfiguration());
        LettuceConnectionFactory derived = new OwnFactory(
                configuration(original), new Client(original.getClientConfiguration(), timeout, resources), resources);
        derived.setValidateConnection(false);
        derived.afterPropertiesSet();
        derived.start();
        return derived;
    }

    private static RedisConfiguration configuration(LettuceConnectionFactory original) {
        RedisConfiguration cluster = original.getClusterConfiguration();
        RedisConfiguration sentinel = original.getSentinelConfiguration();
        RedisConfiguration socket = original.getSocketConfiguration();
        if (cluster != null) {
            return cluster;
        }
        if (sentinel != null) {
            return sentinel;
        }
        return socket != null ? socket : original.getStandaloneConfiguration();
    }

    /** The application's threads, if it gives us any, with a reconnect delay of our own. */
    private static ClientResources resources(LettuceClientConfiguration client) {
        ClientResources.Builder builder = ClientResources.builder();
        client.getClientResources()
                .ifPresent(original -> builder.eventLoopGroupProvider(original.eventLoopGroupProvider())
                        .eventExecutorGroup(original.eventExecutorGroup())
                        .timer(original.timer())
                        .commandLatencyRecorder(original.commandLatencyRecorder())
                        .socketAddressResolver(original.socketAddressResolver())
                        .addressResolverGroup(original.addressResolverGroup())
                        .nettyCustomizer(original.nettyCustomizer())
                        .tracing(original.tracing()));
        return builder.reconnectDelay(Delay.constant(RECONNECT_DELAY)).build();
    }

    /** Ends its own resources with its connections; the application's threads go on. */
    private static final class OwnFactory extends LettuceConnectionFactory {

        private final ClientResources resources;

        OwnFactory(RedisConfiguration server, LettuceClientConfiguration client, ClientResources resources) {
            super(server, client);
            this.resources = resources;
        }

        @Override
        public void destroy() {
            super.destroy();
            resources.shutdown(0, 100, TimeUnit.MILLISECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
        }
    }

    /** The application's client configuration, but for timeouts. */
    private record Client(LettuceClientConfiguration original, Duration timeout, ClientResources resources)
            implements LettuceClientConfiguration {

        @Override
        public boolean isUseSsl() {
            return original.isUseSsl();
        }

        @Override
        @Deprecated
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
            return Optional.of(options.mutate()
                    .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                    .timeoutOptions(TimeoutOptions.enabled(timeout))
                    .socketOptions(options.getSocketOptions()
                            .mutate()
                            .connectTimeout(timeout)
                            .build())
                    .build());
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
}
