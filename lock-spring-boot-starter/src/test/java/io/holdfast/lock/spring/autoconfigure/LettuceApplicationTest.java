package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.CapturedLog;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.RedisSentinelProcesses;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.TlsRedis;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import redis.clients.jedis.Jedis;

/** Applications that use Lettuce, which is Spring Boot's default: which way their locks take, and that they get there. */
@Timeout(120)
class LettuceApplicationTest {

    private static final String DEDICATED = " over dedicated connections";
    private static final String APPLICATION = " over connections of the application's LettuceConnectionFactory, ";

    private static final String USER = "locker";
    private static final String PASSWORD = "s3cret";

    private static RedisServerProcess server;

    private final String key = "lettuce-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        server = RedisServerProcess.start(
                "--requirepass", PASSWORD, "--user", USER, "on", ">" + PASSWORD, "~*", "&*", "+@all");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Jedis administrator(int port) {
        Jedis jedis = TestRedis.administrator(port);
        jedis.auth(USER, PASSWORD);
        return jedis;
    }

    private static ApplicationContextRunner application(String... properties) {
        return Runners.redis()
                .withPropertyValues(
                        "spring.data.redis.client-type=lettuce",
                        "holdfast.redis.command-timeout=30s") // the machine may stand still
                .withPropertyValues(properties);
    }

    private static ApplicationContextRunner onServer(String... properties) {
        return application(
                        "spring.data.redis.port=" + server.port(),
                        "spring.data.redis.username=" + USER,
                        "spring.data.redis.password=" + PASSWORD)
                .withPropertyValues(properties);
    }

    private String redisKey() {
        return "holdfast:{" + key + "}";
    }

    /** Runs the application, whose log and store must contain the text in one line, and checks the lock while it holds it. */
    private void locks(ApplicationContextRunner runner, String way, Runnable check) {
        try (CapturedLog log = new CapturedLog(LockAutoConfiguration.class.getName(), Level.INFO)) {
            runner.run(context -> {
                assertThat(context).hasNotFailed();
                context.getBean(LockTemplate.class).execute(key, check::run);
                assertThat(context.getBean(LockStore.class).toString()).contains(way);
            });
            assertThat(log.events().stream().filter(event -> event.getLevel() == Level.INFO))
                    .singleElement()
                    .asString()
                    .contains("Locks are kept in ")
                    .contains(way);
        }
    }

    private void isHeld(Jedis administrator) {
        try (administrator) {
            assertThat(administrator.exists(redisKey())).isTrue();
        }
    }

    @Test
    void one_server_with_user_password_database_and_client_name() {
        locks(onServer("spring.data.redis.database=3", "spring.data.redis.client-name=the-shop"), DEDICATED, () -> {
            try (Jedis redis = administrator(server.port())) {
                redis.select(3);
                assertThat(redis.exists(redisKey())).isTrue();
                assertThat(redis.clientList().lines().filter(line -> line.contains(" name=the-shop ")))
                        .anyMatch(line -> line.contains(" db=3 ")
                                && line.contains(" user=" + USER + " ")
                                && line.matches(".* cmd=(evalsha|eval) .*"));
            }
        });
    }

    @Test
    void url() {
        locks(
                application("spring.data.redis.url=redis://" + USER + ":" + PASSWORD + "@127.0.0.1:" + server.port()
                        + "/4"),
                DEDICATED,
                () -> {
                    try (Jedis redis = administrator(server.port())) {
                        redis.select(4);
                        assertThat(redis.exists(redisKey())).isTrue();
                    }
                });
    }

    @Test
    void cluster() {
        try (RedisClusterProcesses cluster = RedisClusterProcesses.start(3, 0, Duration.ofMinutes(5))) {
            String nodes = cluster.address().ports().stream()
                    .map(port -> "127.0.0.1:" + port)
                    .collect(Collectors.joining(","));
            locks(
                    application("spring.data.redis.cluster.nodes=" + nodes),
                    DEDICATED,
                    () -> isHeld(cluster.masterOf(redisKey()).connect()));
        }
    }

    @Test
    void sentinels() {
        try (RedisSentinelProcesses all = RedisSentinelProcesses.start(0, Duration.ofMinutes(5))) {
            locks(
                    application(
                            "spring.data.redis.sentinel.master=locks",
                            "spring.data.redis.sentinel.nodes=127.0.0.1:"
                                    + all.sentinels().get(0).port()),
                    DEDICATED,
                    () -> isHeld(all.master().connect()));
        }
    }

    @Test
    void tls_with_an_ssl_bundle() {
        try (TlsRedis redis = TlsRedis.startOrSkip()) {
            locks(
                    application(
                                    "spring.data.redis.port=" + redis.tlsPort(),
                                    "spring.data.redis.password=" + redis.password(),
                                    "spring.data.redis.ssl.bundle=redis",
                                    "spring.ssl.bundle.pem.redis.truststore.certificate=file:"
                                            + redis.certificateFile())
                            .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class)),
                    DEDICATED,
                    () -> {
                        Jedis jedis = TestRedis.administrator(redis.port());
                        jedis.auth(redis.password());
                        isHeld(jedis);
                    });
        }
    }

    @Test
    void connection_details_of_a_bean() {
        DataRedisConnectionDetails details = new DataRedisConnectionDetails() {
            @Override
            public String getUsername() {
                return USER;
            }

            @Override
            public String getPassword() {
                return PASSWORD;
            }

            @Override
            public Standalone getStandalone() {
                return Standalone.of("127.0.0.1", server.port());
            }
        };
        locks(
                application("spring.data.redis.port=1").withBean(DataRedisConnectionDetails.class, () -> details),
                DEDICATED,
                () -> isHeld(administrator(server.port())));
    }

    private static LettuceConnectionFactory factory() {
        RedisStandaloneConfiguration place = new RedisStandaloneConfiguration("127.0.0.1", server.port());
        place.setUsername(USER);
        place.setPassword(PASSWORD);
        return new LettuceConnectionFactory(place);
    }

    @Test
    void factory_of_the_application() {
        locks(
                application("spring.data.redis.port=1")
                        .withBean(RedisConnectionFactory.class, LettuceApplicationTest::factory),
                DEDICATED,
                () -> isHeld(administrator(server.port())));
    }

    @Test
    void customizer_that_concerns_lettuce_only() {
        locks(
                onServer()
                        .withBean(
                                LettuceClientConfigurationBuilderCustomizer.class,
                                () -> client -> client.commandTimeout(Duration.ofSeconds(7))
                                        .clientName("customized")),
                DEDICATED,
                () -> {
                    try (Jedis redis = administrator(server.port())) {
                        assertThat(redis.clientList()).contains(" name=customized ");
                    }
                });
    }

    @Test
    void customizer_that_jedis_cannot_express() {
        locks(
                onServer()
                        .withBean(
                                ClientResourcesBuilderCustomizer.class,
                                () -> resources ->
                                        resources.nettyCustomizer(new io.lettuce.core.resource.NettyCustomizer() {})),
                APPLICATION
                        + "because dedicated connections cannot use a NettyCustomizer in ClientResources (to have them, change that, or"
                        + " set holdfast.redis.url)",
                () -> isHeld(administrator(server.port())));
    }

    private static final class Credentials implements RedisCredentialsProviderFactory {
        @Override
        public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
            return RedisCredentialsProvider.from(() -> RedisCredentials.just(USER, PASSWORD));
        }
    }

    @Test
    void credentials_provider() {
        locks(
                application("spring.data.redis.port=" + server.port())
                        .withBean(
                                LettuceClientConfigurationBuilderCustomizer.class,
                                () -> client -> client.redisCredentialsProviderFactory(new Credentials())),
                DEDICATED,
                () -> isHeld(administrator(server.port())));
    }

    /** Lettuce itself needs native code of Netty to connect there. */
    @Test
    void socket() {
        application()
                .withBean(
                        RedisConnectionFactory.class,
                        () -> new LettuceConnectionFactory(new RedisSocketConfiguration("/tmp/redis.sock")))
                .run(context -> assertThat(context.getBean(LockStore.class))
                        .hasToString("Redis at /tmp/redis.sock" + APPLICATION
                                + "because dedicated connections cannot use the Unix domain"
                                + " socket /tmp/redis.sock (to have them, change that, or set holdfast.redis.url),"
                                + " with key prefix 'holdfast'"));
    }

    @Test
    void jedis_is_not_on_the_class_path() {
        locks(
                onServer().withClassLoader(new FilteredClassLoader("redis.clients")),
                APPLICATION
                        + "because Jedis is not on the classpath (for dedicated connections, add redis.clients:jedis)",
                () -> isHeld(administrator(server.port())));
    }

    @Test
    void property_requires_connections_of_the_application() {
        locks(
                onServer("holdfast.redis.connection=application"),
                APPLICATION + "as configured",
                () -> isHeld(administrator(server.port())));
    }

    @Test
    void property_requires_dedicated_connections() {
        locks(onServer("holdfast.redis.connection=dedicated"), DEDICATED, () -> isHeld(administrator(server.port())));
    }

    @Test
    void dedicated_connections_that_cannot_be_had_fail_startup() {
        onServer("holdfast.redis.connection=dedicated")
                .withBean(
                        LettuceClientConfigurationBuilderCustomizer.class,
                        () -> client -> client.useSsl().startTls())
                .run(
                        context -> assertThat(Startup.failureOf(context))
                                .contains(
                                        "Locks cannot use dedicated connections: dedicated connections cannot use"
                                                + " StartTLS (to have them, change that, or set holdfast.redis.url)."
                                                + " Alternatively, let them use the application's (holdfast.redis.connection=application)."));
    }

    /** As without locks: Lettuce connects with the first command. */
    @Test
    void application_starts_while_redis_is_down() {
        Function<String, ApplicationContextRunner> down = property ->
                application(property, "spring.data.redis.port=1", "spring.data.redis.sentinel.master=locks");
        for (ApplicationContextRunner runner : List.of(
                application("spring.data.redis.port=1"),
                application("spring.data.redis.cluster.nodes=127.0.0.1:1"),
                down.apply("spring.data.redis.sentinel.nodes=127.0.0.1:1"))) {
            runner.run(context -> {
                assertThat(context).hasNotFailed();
                assertThatThrownBy(() -> context.getBean(LockTemplate.class).tryAcquire(key))
                        .isInstanceOfSatisfying(
                                LockStoreException.class,
                                e -> assertThat(e.outcomeUnknown()).isFalse())
                        .hasMessageContaining(" cannot be reached. Check that the server is running");
            });
        }
    }

    /** The server accepts connections, and says nothing. */
    @Test
    void context_may_be_closed_while_lettuce_connects() throws Exception {
        try (ServerSocket silent = new ServerSocket(0);
                CapturedLog netty = new CapturedLog("io.netty", Level.WARN);
                CapturedLog lettuce = new CapturedLog("io.lettuce", Level.WARN)) {
            application(
                            "spring.data.redis.port=" + silent.getLocalPort(),
                            "spring.data.redis.timeout=3s", // closing waits for Lettuce's attempt to end
                            "holdfast.redis.connection=application")
                    .run(context -> {
                        LockTemplate locks = context.getBean(LockTemplate.class);
                        Thread caller = new Thread(() -> {
                            try {
                                locks.tryAcquire(key);
                            } catch (RuntimeException ended) {
                                // as the context does
                            }
                        });
                        caller.setDaemon(true);
                        caller.start();
                        try (Socket connected = silent.accept()) {
                            assertThat(connected.isConnected()).isTrue();
                            context.getSourceApplicationContext().close();
                        }
                    });
            assertThat(netty.events()).isEmpty();
            assertThat(lettuce.events()).isEmpty();
        }
    }
}
