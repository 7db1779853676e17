package io.holdfast.lock.redis.driver;

import io.holdfast.lock.threads.DaemonThreads;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.SocketAddressResolver;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.lang.reflect.Field;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ReflectionUtils;
import redis.clients.jedis.RedisProtocol;

/**
 * An application's configuration of Lettuce: where Redis is, and how to log in. Loaded only if the application's factory is Lettuce's.
 *
 * <p>Settings that concern only the behavior of Lettuce itself are left out: timeouts, pools, threads, socket options, reconnects, reading
 * from replicas. Locks have their own, or do not need them.
 */
public final class LettuceApplication {

    private static final Logger log = LoggerFactory.getLogger(LettuceApplication.class);

    /** A constant, so that it can be read without Lettuce on the classpath. */
    public static final String CONFIGURATION_FIELD = "configuration";

    private final LettuceConnectionFactory factory;

    /** Read once, by {@link #obstacles}: a later attempt to connect may find different files, or none. */
    private volatile @Nullable JedisClientConfiguration forJedis;

    /** @param factory a {@link LettuceConnectionFactory}, not a subclass */
    public LettuceApplication(RedisConnectionFactory factory) {
        this.factory = (LettuceConnectionFactory) factory;
    }

    /**
     * Replaces the connection that all threads of the application share, if it is dead and nobody says so: a new one works, and a PING on
     * this one gets no reply within the application's command timeout. So a server that hangs or is slow costs the application nothing.
     * A cluster's connection is left alone, because it leads to several servers.
     */
    static void replaceSilent(RedisConnectionFactory applications) {
        if (applications instanceof LettuceConnectionFactory lettuce
                && lettuce.getRequiredNativeClient() instanceof RedisClient client) {
            client.connect().close();
            try (RedisConnection shared = lettuce.getConnection()) {
                shared.ping();
            } catch (QueryTimeoutException e) {
                log.warn("Replaced the application's Redis connection: it does not respond, but new connections do.");
                lettuce.resetConnection();
            }
        }
    }

    /**
     * Where the servers are. The getters return standalone servers that were passed as such, but not a primary with static replicas, for
     * which they return localhost; nor do they return the user name of a standalone server that was passed as a {@link RedisConfiguration}.
     * As of Spring Data 4.1, nothing else that is public distinguishes these, so the field is read. If a later version has no such field,
     * an unknown configuration is an {@link #obstacles obstacle}.
     */
    public RedisConfiguration servers() {
        Field field = ReflectionUtils.findField(LettuceConnectionFactory.class, CONFIGURATION_FIELD);
        if (field == null) {
            return new RedisConfiguration() {};
        }
        ReflectionUtils.makeAccessible(field);
        return Objects.requireNonNull((RedisConfiguration) ReflectionUtils.getField(field, factory));
    }

    /** The settings that cannot be carried over to another driver, for messages; empty if Jedis supports all of them. */
    public List<String> obstacles() {
        LettuceClientConfiguration client = factory.getClientConfiguration();
        List<String> found = new ArrayList<>();
        RedisConfiguration servers = servers();
        if (servers instanceof RedisConfiguration.WithDomainSocket socket) {
            found.add("the Unix domain socket " + socket.getSocket());
        } else if (servers instanceof RedisStaticMasterReplicaConfiguration) {
            found.add("a static list of primary and replicas");
        } else if (!(servers instanceof RedisStandaloneConfiguration
                || servers instanceof RedisSentinelConfiguration
                || servers instanceof RedisClusterConfiguration)) {
            found.add("the configuration " + servers.getClass().getName());
        }
        if (client.getRedisCredentialsProviderFactory().isPresent() && servers instanceof RedisSentinelConfiguration) {
            found.add("a RedisCredentialsProviderFactory for sentinels");
        }
        if (client.isUseSsl() && client.isStartTls()) {
            found.add("StartTLS");
        }
        try {
            forJedis = client();
        } catch (IllegalArgumentException e) {
            found.add("SslOptions that cannot be read (" + e.getCause() + ")");
        }
        client.getClientResources().ifPresent(resources -> addObstacles(resources, found));
        return found;
    }

    /** These may change what an address means, or what is between the two ends. */
    private static void addObstacles(ClientResources resources, List<String> found) {
        if (resources.socketAddressResolver().getClass() != SocketAddressResolver.class) {
            found.add("a SocketAddressResolver in ClientResources");
        }
        if (resources.nettyCustomizer() != DefaultClientResources.DEFAULT_NETTY_CUSTOMIZER) {
            found.add("a NettyCustomizer in ClientResources");
        }
        if (resources.addressResolverGroup() != DefaultClientResources.DEFAULT_ADDRESS_RESOLVER_GROUP) {
            found.add("an AddressResolverGroup in ClientResources");
        }
    }

    /**
     * {@return Jedis connections with this configuration} The parameters are those of {@link JedisConnections#like}. To be called after
     * {@link #obstacles} has returned none.
     */
    public RedisConnectionFactory connect(String server, Duration timeout, int connections) {
        RedisConfiguration servers = servers();
        JedisConnections created =
                new JedisConnections(servers, Objects.requireNonNull(forJedis), server, timeout, connections);
        factory.getClientConfiguration()
                .getRedisCredentialsProviderFactory()
                .map(each -> each.createCredentialsProvider(servers))
                .ifPresent(provider -> authenticate(created, provider, timeout));
        return created;
    }

    private static void authenticate(JedisConnections created, RedisCredentialsProvider provider, Duration timeout) {
        created.authenticate(
                () -> {
                    RedisCredentials found =
                            Objects.requireNonNull(provider.resolveCredentials().block(timeout), "no credentials");
                    // Not created here: this class is also loaded without Jedis.
                    return JedisConnections.credentials(found.getUsername(), found.getPassword());
                },
                () -> provider.supportsStreaming()
                        ? provider.credentials()
                                .subscribe(
                                        each -> DaemonThreads.runGuarded(created::renewCredentials),
                                        LettuceApplication::reportEnd)::dispose
                        : () -> {});
    }

    private static void reportEnd(Throwable failure) {
        log.warn(
                "The stream of Redis credentials has failed. Connections for locks that end with their credentials are"
                        + " made again, with those that the provider has then.",
                failure);
    }

    /**
     * Everything but the servers, for Jedis.
     *
     * @throws IllegalArgumentException if the TLS settings cannot be read
     */
    private JedisClientConfiguration client() {
        LettuceClientConfiguration client = factory.getClientConfiguration();
        ClientOptions options = client.getClientOptions().orElseGet(ClientOptions::create);
        var builder = JedisClientConfiguration.builder();
        client.getClientName().ifPresent(builder::clientName);
        if (client.isUseSsl()) {
            SSLParameters parameters = options.getSslOptions().createSSLParameters();
            parameters.setEndpointIdentificationAlgorithm(client.getVerifyMode() == SslVerifyMode.FULL ? "HTTPS" : "");
            builder.useSsl()
                    .sslSocketFactory(sockets(options.getSslOptions(), client.getVerifyMode()))
                    .sslParameters(parameters);
        }
        ProtocolVersion protocol = options.getConfiguredProtocolVersion();
        if (protocol != null) {
            builder.customizeClientConfig(config -> config.protocol(RedisProtocol.valueOf(protocol.name())));
        }
        return builder.build();
    }

    /** Reads the options as Lettuce does for each connection. */
    private static SSLSocketFactory sockets(SslOptions options, SslVerifyMode verify) {
        try {
            SslContextBuilder builder = options.createSslContextBuilder().sslProvider(SslProvider.JDK);
            if (verify == SslVerifyMode.NONE) {
                builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
            }
            return ((JdkSslContext) builder.build()).context().getSocketFactory();
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            throw new IllegalArgumentException("The SslOptions of Lettuce cannot be read", e);
        }
    }
}
