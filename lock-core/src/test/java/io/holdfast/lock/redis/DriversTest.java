package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.redis.RedisLockSettings.Driver;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.SslOptions;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import io.lettuce.core.resource.NettyCustomizer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import redis.clients.authentication.core.TokenAuthConfig;
import redis.clients.authentication.core.TokenManagerConfig;
import redis.clients.jedis.authentication.AuthXManager;

/** Which of the two ways to Redis locks take, and what the application reads about it. */
class DriversTest {

    private static final RedisStandaloneConfiguration SERVER =
            new RedisStandaloneConfiguration("redis.example.com", 6380);

    private static final class OwnFactory extends LettuceConnectionFactory {
        OwnFactory() {
            super(SERVER);
        }
    }

    private static LettuceConnectionFactory lettuce(
            RedisConfiguration servers, Consumer<LettuceClientConfigurationBuilder> change) {
        LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder();
        change.accept(client);
        return new LettuceConnectionFactory(servers, client.build());
    }

    private static LettuceConnectionFactory lettuce(ClientResources resources) {
        return lettuce(SERVER, client -> client.clientResources(resources));
    }

    private static String description(RedisConnectionFactory applications) {
        return Drivers.choose(applications, Driver.AUTO).description();
    }

    private static LettuceConnectionFactory lettuceThatReads(AtomicInteger reads) {
        SslOptions options = SslOptions.builder()
                .sslContext(context -> reads.incrementAndGet())
                .build();
        return lettuce(
                SERVER,
                client -> client.clientOptions(
                                ClientOptions.builder().sslOptions(options).build())
                        .useSsl());
    }

    /** A subscription connects later, when the files may be others, or gone. */
    @Test
    void tls_settings_of_lettuce_are_read_once() {
        AtomicInteger reads = new AtomicInteger();
        Drivers.Way way = Drivers.choose(lettuceThatReads(reads), Driver.AUTO);

        way.connector().apply(Duration.ofSeconds(1), 1).close();
        way.connector().apply(Duration.ofSeconds(1), 1).close();

        assertThat(reads).hasValue(1);
    }

    @Test
    void tls_settings_are_not_read_for_a_template() {
        AtomicInteger reads = new AtomicInteger();

        Drivers.choose(lettuceThatReads(reads), Driver.REDIS_TEMPLATE);

        assertThat(reads).hasValue(0);
    }

    @Test
    void jedis_is_configured_like_jedis() {
        assertThat(description(new JedisConnectionFactory(SERVER)))
                .isEqualTo("Redis at redis.example.com:6380 via Jedis");
    }

    @Test
    void jedis_is_configured_like_lettuce() {
        assertThat(description(lettuce(SERVER, client -> {})))
                .isEqualTo("Redis at redis.example.com:6380 via Jedis, configured like the application's"
                        + " LettuceConnectionFactory");
    }

    @Test
    void template_can_be_demanded_of_every_factory() {
        assertThat(Drivers.choose(lettuce(SERVER, client -> {}), Driver.REDIS_TEMPLATE)
                        .description())
                .isEqualTo("Redis at redis.example.com:6380 via RedisTemplate on the application's"
                        + " LettuceConnectionFactory, as configured");
        assertThat(Drivers.choose(new JedisConnectionFactory(SERVER), Driver.REDIS_TEMPLATE)
                        .description())
                .isEqualTo("Redis at redis.example.com:6380 via RedisTemplate on the application's"
                        + " JedisConnectionFactory, as configured");
        assertThat(Drivers.choose(new OwnFactory(), Driver.REDIS_TEMPLATE).description())
                .isEqualTo("Redis via RedisTemplate on the application's " + OwnFactory.class.getName()
                        + ", as configured");
    }

    static Stream<Arguments> obstacles() {
        String lettuce = "LettuceConnectionFactory";
        String usual = "to use Jedis, change that, or set holdfast.redis.url";
        String server = "Redis at redis.example.com:6380";
        ClientResources shared = ClientResources.create();
        return Stream.of(
                Arguments.of(
                        Named.of("socket", lettuce(new RedisSocketConfiguration("/tmp/redis.sock"), client -> {})),
                        "Redis at /tmp/redis.sock",
                        lettuce,
                        "Jedis cannot use the Unix domain socket /tmp/redis.sock",
                        usual),
                Arguments.of(
                        Named.of(
                                "replicas",
                                lettuce(
                                        new RedisStaticMasterReplicaConfiguration("redis.example.com", 6380),
                                        client -> {})),
                        "Redis at one of redis.example.com:6380",
                        lettuce,
                        "Jedis cannot use a static list of primary and replicas",
                        usual),
                Arguments.of(
                        Named.of(
                                "credentials",
                                lettuce(SERVER, client -> client.redisCredentialsProviderFactory(credentials()))),
                        server,
                        lettuce,
                        "Jedis cannot use a RedisCredentialsProviderFactory",
                        usual),
                Arguments.of(
                        Named.of(
                                "StartTLS",
                                lettuce(SERVER, client -> client.useSsl().startTls())),
                        server,
                        lettuce,
                        "Jedis cannot use StartTLS",
                        usual),
                Arguments.of(
                        Named.of(
                                "trust",
                                lettuce(
                                        SERVER,
                                        client -> client.clientOptions(ClientOptions.builder()
                                                        .sslOptions(SslOptions.builder()
                                                                .sslContext(context -> {
                                                                    throw new IllegalStateException("on purpose");
                                                                })
                                                                .build())
                                                        .build())
                                                .useSsl())),
                        server,
                        lettuce,
                        "Jedis cannot use SslOptions that cannot be read (java.lang.IllegalStateException: on purpose)",
                        usual),
                Arguments.of(
                        Named.of(
                                "addresses",
                                lettuce(shared.mutate()
                                        .socketAddressResolver(
                                                MappingSocketAddressResolver.create((HostAndPort address) -> address))
                                        .build())),
                        server,
                        lettuce,
                        "Jedis cannot use a SocketAddressResolver in ClientResources",
                        usual),
                Arguments.of(
                        Named.of(
                                "Netty",
                                lettuce(shared.mutate()
                                        .nettyCustomizer(new NettyCustomizer() {})
                                        .build())),
                        server,
                        lettuce,
                        "Jedis cannot use a NettyCustomizer in ClientResources",
                        usual),
                Arguments.of(
                        Named.of(
                                "two",
                                lettuce(
                                        SERVER,
                                        client -> client.redisCredentialsProviderFactory(credentials())
                                                .useSsl()
                                                .startTls())),
                        server,
                        lettuce,
                        "Jedis cannot use a RedisCredentialsProviderFactory, or StartTLS",
                        usual),
                Arguments.of(
                        Named.of(
                                "customizer of the client",
                                new JedisConnectionFactory(
                                        SERVER,
                                        JedisClientConfiguration.builder()
                                                .customizeClient(client -> {})
                                                .build())),
                        server,
                        "JedisConnectionFactory",
                        "connections for locks cannot use a JedisClientBuilderCustomizer",
                        usual),
                Arguments.of(
                        Named.of(
                                "tokens",
                                new JedisConnectionFactory(
                                        SERVER,
                                        JedisClientConfiguration.builder()
                                                .customizeClientConfig(config -> config.authXManager(tokens()))
                                                .build())),
                        server,
                        "JedisConnectionFactory",
                        "connections for locks cannot use an AuthXManager",
                        usual),
                Arguments.of(
                        Named.of("subclass", new OwnFactory()),
                        "Redis",
                        OwnFactory.class.getName(),
                        OwnFactory.class.getName()
                                + " is neither a JedisConnectionFactory nor a LettuceConnectionFactory",
                        "to use Jedis, provide one of these for locks"));
    }

    private static AuthXManager tokens() {
        return new AuthXManager(new TokenAuthConfig(
                new TokenManagerConfig(0.5f, 1, 1, new TokenManagerConfig.RetryPolicy(1, 1)), () -> null));
    }

    private static RedisCredentialsProviderFactory credentials() {
        return new RedisCredentialsProviderFactory() {
            @Override
            public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
                return RedisCredentialsProvider.from(() -> RedisCredentials.just("user", "password"));
            }
        };
    }

    @ParameterizedTest
    @MethodSource("obstacles")
    void template_is_used_for_what_jedis_cannot_be_told(
            RedisConnectionFactory applications, String server, String name, String reason, String remedy) {
        assertThat(description(applications))
                .isEqualTo(server + " via RedisTemplate on the application's " + name + ", because " + reason + " ("
                        + remedy + ")");
    }

    @ParameterizedTest
    @MethodSource("obstacles")
    void jedis_cannot_be_demanded_where_it_cannot_be_told_all(
            RedisConnectionFactory applications, String server, String name, String reason, String remedy) {
        RedisLockSettings settings = RedisLockSettings.STANDARD.withDriver(Driver.JEDIS);
        assertThatThrownBy(() -> new RedisLockStore(applications, settings))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Locks cannot use Jedis: " + reason + " (" + remedy
                        + "). Alternatively, allow RedisTemplate (driver auto).");
    }

    @Test
    void store_says_where_locks_are_and_which_way_leads_there() {
        try (RedisServerProcess server = RedisServerProcess.start()) {
            LettuceConnectionFactory applications = TestRedis.lettuce(server.port());
            try (RedisLockStore store = new RedisLockStore(applications, TestRedis.PATIENT)) {
                assertThat(store)
                        .hasToString("Redis at 127.0.0.1:" + server.port() + " via Jedis, configured like the"
                                + " application's LettuceConnectionFactory, with key prefix 'lock'");
            } finally {
                applications.destroy();
            }
        }
    }
}
