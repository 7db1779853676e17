package io.holdfast.lock.spring.autoconfigure;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Loaded only where Lettuce is. */
final class LettuceFactories {

    private LettuceFactories() {}

    static LettuceConnectionFactory create(
            RedisStandaloneConfiguration address, RedisServer server, ClientResources threads) {
        LettuceClientConfigurationBuilder client =
                LettuceClientConfiguration.builder().clientResources(threads);
        if (server.tls()) {
            client.useSsl();
            if (server.bundle() != null) {
                client.clientOptions(ClientOptions.builder()
                        .sslOptions(options(server.bundle()))
                        .build());
            }
        }
        return new LettuceConnectionFactory(address, client.build());
    }

    private static SslOptions options(SslBundle bundle) {
        SslOptions.Builder options = SslOptions.builder()
                .keyManager(bundle.getManagers().getKeyManagerFactory())
                .trustManager(bundle.getManagers().getTrustManagerFactory());
        String @Nullable [] ciphers = bundle.getOptions().getCiphers();
        String @Nullable [] protocols = bundle.getOptions().getEnabledProtocols();
        if (ciphers != null) {
            options.cipherSuites(ciphers);
        }
        if (protocols != null) {
            options.protocols(protocols);
        }
        return options.build();
    }
}
