package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.redis.RedisLockSettings.Connection;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import io.lettuce.core.resource.NettyCustomizer;
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

/** Over which connections locks reach Redis, and what operators read about it. */
class ConnectionsTest {

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
        return description(applications, Connection.AUTO);
    }

    private static String description(RedisConnectionFactory applications, Connection wanted) {
        RedisLockSettings settings = RedisLockSettings.STANDARD.withConnection(wanted);
        return Connections.describe(Connections.choose(applications, settings), wanted);
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

        new RedisLockStore(lettuceThatReads(reads), RedisLockSettings.STANDARD).close();

        assertThat(reads).hasValue(1);
    }

    @Test
    void tls_settings_are_not_read_for_connections_of_the_application() {
        AtomicInteger reads = new AtomicInteger();

        description(lettuceThatReads(reads), Connection.APPLICATION);

        assertThat(reads).hasValue(0);
    }

    @Test
    void jedis_is_configured_like_jedis() {
        assertThat(description(new JedisConnectionFactory(SERVER)))
                .isEqualTo("Redis at redis.example.com:6380 over dedicated connections");
    }

    @Test
    void jedis_is_configured_like_lettuce() {
        assertThat(description(lettuce(SERVER, client -> {})))
                .isEqualTo("Redis at redis.example.com:6380 over dedicated connections");
    }

    @Test
    void connections_of_every_factory_can_be_used() {
        assertThat(description(lettuce(SERVER, client -> {}), Connection.APPLICATION))
                .isEqualTo("Redis at redis.example.com:6380 over connections of the application's"
                        + " LettuceConnectionFactory, as configured");
        assertThat(description(new JedisConnectionFactory(SERVER), Connection.APPLICATION))
                .isEqualTo("Redis at redis.example.com:6380 over connections of the application's"
                        + " JedisConnectionFactory, as configured");
        assertThat(description(new OwnFactory(), Connection.APPLICATION))
                .isEqualTo("Redis over connections of the application's " + OwnFactory.class.getName()
                        + ", as configured");
    }

    static Stream<Arguments> obstacles() {
        String lettuce = "LettuceConnectionFactory";
        String usual = "to have them, change that, or set holdfast.redis.url";
        String server = "Redis at redis.example.com:6380";
        ClientResources shared = ClientResources.create();
        return Stream.of(
                Arguments.of(
                        Named.of("socket", lettuce(new RedisSocketConfiguration("/tmp/redis.sock"), client -> {})),
                        "Redis at /tmp/redis.sock",
                        lettuce,
                        "dedicated connections cannot use the Unix domain socket /tmp/redis.sock",
                        usual),
                Arguments.of(
                        Named.of(
                                "replicas",
                                lettuce(
                                        new RedisStaticMasterReplicaConfiguration("redis.example.com", 6380),
                                        client -> {})),
                        "Redis at one of redis.example.com:6380",
                        lettuce,
                        "dedicated connections cannot use a static list of primary and replicas",
                        usual),
                Arguments.of(
                        Named.of(
                                "StartTLS",
                                lettuce(SERVER, client -> client.useSsl().startTls())),
                        server,
                        lettuce,
                        "dedicated connections cannot use StartTLS",
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
                        "dedicated connections cannot use SslOptions that cannot be read (java.lang.IllegalStateException: on purpose)",
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
                        "dedicated connections cannot use a SocketAddressResolver in ClientResources",
                        usual),
                Arguments.of(
                        Named.of(
                                "Netty",
                                lettuce(shared.mutate()
                                        .nettyCustomizer(new NettyCustomizer() {})
                                        .build())),
                        server,
                        lettuce,
                        "dedicated connections cannot use a NettyCustomizer in ClientResources",
                        usual),
                Arguments.of(
                        Named.of(
                                "two",
                                lettuce(
                                        new RedisSocketConfiguration("/tmp/redis.sock"),
                                        client -> client.useSsl().startTls())),
                        "Redis at /tmp/redis.sock",
                        lettuce,
                        "dedicated connections cannot use the Unix domain socket /tmp/redis.sock, or StartTLS",
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
                        "dedicated connections cannot use a JedisClientBuilderCustomizer",
                        usual),
                Arguments.of(
                        Named.of("subclass", new OwnFactory()),
                        "Redis",
                        OwnFactory.class.getName(),
                        OwnFactory.class.getName()
                                + " is neither a JedisConnectionFactory nor a LettuceConnectionFactory",
                        "for dedicated connections, provide one of these for locks"));
    }

    @ParameterizedTest
    @MethodSource("obstacles")
    void connections_of_the_application_are_used_for_what_cannot_be_carried_over(
            RedisConnectionFactory applications, String server, String name, String reason, String remedy) {
        assertThat(description(applications))
                .isEqualTo(server + " over connections of the application's " + name + ", because " + reason + " ("
                        + remedy + ")");
    }

    @ParameterizedTest
    @MethodSource("obstacles")
    void dedicated_connections_cannot_be_required_where_not_all_can_be_carried_over(
            RedisConnectionFactory applications, String server, String name, String reason, String remedy) {
        RedisLockSettings settings = RedisLockSettings.STANDARD.withConnection(Connection.DEDICATED);
        assertThatThrownBy(() -> new RedisLockStore(applications, settings))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Locks cannot use dedicated connections: " + reason + " (" + remedy
                        + "). Alternatively, let them use the application's (holdfast.redis.connection=application).");
    }

    @Test
    void store_says_where_locks_are_and_which_way_leads_there() {
        try (RedisServerProcess server = RedisServerProcess.start()) {
            LettuceConnectionFactory applications = TestRedis.lettuce(server.port());
            try (RedisLockStore store = new RedisLockStore(applications, TestRedis.PATIENT)) {
                assertThat(store)
                        .hasToString("Redis at 127.0.0.1:" + server.port()
                                + " over dedicated connections, with key prefix 'holdfast'");
            } finally {
                applications.destroy();
            }
        }
    }
}
