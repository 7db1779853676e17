package io.holdfast.lock.spring.autoconfigure;

import javax.net.ssl.SSLParameters;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration.JedisClientConfigurationBuilder;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** Loaded only where Jedis is. */
final class JedisFactories {

    private JedisFactories() {}

    static JedisConnectionFactory create(RedisStandaloneConfiguration address, RedisServer server) {
        JedisClientConfigurationBuilder client = JedisClientConfiguration.builder();
        if (server.tls()) {
            SslBundle bundle = server.bundle() == null ? SslBundle.systemDefault() : server.bundle();
            client.useSsl()
                    .sslSocketFactory(bundle.createSslContext().getSocketFactory())
                    .sslParameters(parameters(bundle.getOptions()));
        }
        return new JedisConnectionFactory(address, client.build());
    }

    /** The certificate must be that of the host. */
    private static SSLParameters parameters(SslOptions options) {
        SSLParameters parameters = new SSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        if (options.getCiphers() != null) {
            parameters.setCipherSuites(options.getCiphers());
        }
        if (options.getEnabledProtocols() != null) {
            parameters.setProtocols(options.getEnabledProtocols());
        }
        return parameters;
    }
}
