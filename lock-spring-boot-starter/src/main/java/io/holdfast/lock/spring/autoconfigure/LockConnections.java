package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.autoconfigure.LockConnectionDetails.Cluster;
import io.holdfast.lock.spring.autoconfigure.LockConnectionDetails.Sentinel;
import io.holdfast.lock.spring.autoconfigure.LockConnectionDetails.Standalone;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;

/**
 * Creates Jedis connection factories for servers that only locks use. They are not beans, so nothing in the application or in
 * Spring Boot mistakes them for the application's Redis. A lock store reads a factory's configuration and creates its own
 * connections from that, so no factory is started.
 */
final class LockConnections {

    private static final String JEDIS = "redis.clients.jedis.RedisClient";

    private LockConnections() {}

    /**
     * Creates a factory.
     *
     * @param name the servers, for messages, without secrets
     * @throws LockConfigurationException if Jedis is missing
     * @throws IllegalArgumentException if the details name no server, or several
     */
    static RedisConnectionFactory create(String name, LockConnectionDetails details) {
        if (!ClassUtils.isPresent(JEDIS, null)) {
            throw new LockConfigurationException(
                    "Locks use Jedis for " + name + ", but Jedis is not on the classpath.",
                    "Add redis.clients:jedis, or let locks use a RedisConnectionFactory of the application.");
        }
        RedisConfiguration.WithAuthentication servers = servers(details);
        servers.setUsername(details.getUsername());
        servers.setPassword(RedisPassword.of(details.getPassword()));
        return Factories.create((RedisConfiguration) servers, details.getSslBundle());
    }

    private static RedisConfiguration.WithAuthentication servers(LockConnectionDetails details) {
        Standalone single = details.getStandalone();
        Sentinel sentinel = details.getSentinel();
        Cluster cluster = details.getCluster();
        Assert.isTrue(
                Stream.of(single, sentinel, cluster).filter(Objects::nonNull).count() == 1,
                "The LockConnectionDetails must specify exactly one of a single server, sentinels and a cluster.");
        if (single != null) {
            RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(single.host(), single.port());
            server.setDatabase(single.database());
            return server;
        }
        if (sentinel != null) {
            Assert.notEmpty(sentinel.nodes(), "The LockConnectionDetails name no sentinels.");
            RedisSentinelConfiguration servers = new RedisSentinelConfiguration().master(sentinel.master());
            sentinel.nodes().forEach(node -> servers.sentinel(node.host(), node.port()));
            servers.setDatabase(sentinel.database());
            servers.setSentinelUsername(sentinel.username());
            servers.setSentinelPassword(RedisPassword.of(sentinel.password()));
            return servers;
        }
        RedisClusterConfiguration servers = new RedisClusterConfiguration();
        Objects.requireNonNull(cluster).nodes().forEach(node -> servers.clusterNode(node.host(), node.port()));
        Assert.notEmpty(servers.getClusterNodes(), "The LockConnectionDetails name no nodes of the cluster.");
        return servers;
    }

    /** Loaded only if Jedis is present. */
    private static final class Factories {

        static JedisConnectionFactory create(RedisConfiguration servers, @Nullable SslBundle bundle) {
            var client = JedisClientConfiguration.builder();
            if (bundle != null) {
                SSLParameters parameters = new SSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS"); // the certificate must be that of the host
                PropertyMapper map = PropertyMapper.get();
                map.from(bundle.getOptions()::getCiphers).to(parameters::setCipherSuites);
                map.from(bundle.getOptions()::getEnabledProtocols).to(parameters::setProtocols);
                client.useSsl()
                        .sslSocketFactory(bundle.createSslContext().getSocketFactory())
                        .sslParameters(parameters);
            }
            if (servers instanceof RedisSentinelConfiguration sentinels) {
                return new JedisConnectionFactory(sentinels, client.build());
            }
            return servers instanceof RedisClusterConfiguration cluster
                    ? new JedisConnectionFactory(cluster, client.build())
                    : new JedisConnectionFactory((RedisStandaloneConfiguration) servers, client.build());
        }
    }
}
