package io.holdfast.lock.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.Optional;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/**
 * Derives a Lettuce factory with the locks' own timeouts. Commands that were on their way when a connection broke are
 * not sent again behind our back: the store does that itself, and knows then that it did.
 */
final class LettuceConnections {

    private LettuceConnections() {}

    static boolean fits(RedisConnectionFactory factory) {
        return factory.getClass() == LettuceConnectionFactory.class;
    }

    static boolean isCluster(RedisConnectionFactory factory) {
        return ((LettuceConnectionFactory) factory).isClusterAware();
    }

    static RedisConnectionFactory derive(RedisConnectionFactory applications, Duration timeout) {
        LettuceConnectionFactory original = (LettuceConnectionFactory) applications;
        LettuceConnectionFactory derived = new LettuceConnectionFactory(
                configuration(original), new Client(original.getClientConfiguration(), timeout));
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

    /** The application's client configuration, but for timeouts. */
    private record Client(LettuceClientConfiguration original, Duration timeout) implements LettuceClientConfiguration {

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
            return original.getClientResources();
        }

        @Override
        public Optional<ClientOptions> getClientOptions() {
            ClientOptions options = original.getClientOptions().orElseGet(ClientOptions::create);
            return Optional.of(options.mutate()
                    .replayFilter(command -> true)
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
