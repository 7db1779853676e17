package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.driver.LettuceApplication;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.TlsRedis;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.protocol.ProtocolVersion;
import java.io.File;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.clients.jedis.Jedis;

/** What an application has told its Lettuce, locks tell Jedis. */
class CarriedOverTest {

    private static final String KEY = "carried:over";

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "GIVEN")
    void locks_reach_every_kind_of_redis_by_what_lettuce_was_told(RedisTopology topology) {
        LettuceConnectionFactory unknown = (LettuceConnectionFactory) topology.connect(TestRedis.Client.TEMPLATE);
        RedisConnectionFactory applications = new LettuceConnectionFactory(
                new LettuceApplication(unknown).servers(), unknown.getClientConfiguration());
        try (RedisLockStore store = new RedisLockStore(applications, TestRedis.PATIENT);
                LockEngine locks = LockEngine.builder(store).build();
                LockEngine others = LockEngine.builder(store).build();
                Jedis redis = topology.administrator("holdfast:{" + KEY + "}")) {
            assertThat(store.toString()).contains(" over dedicated connections, ");
            LockHandle held = locks.acquire(KEY);
            assertThat(redis.hget("holdfast:{" + KEY + "}", "token")).isEqualTo(String.valueOf(held.fencingToken()));
            CompletableFuture<Void> next = NewThread.start(() -> {
                others.acquire(LockRequest.of(KEY).waitFor(Duration.ofMinutes(1)))
                        .close();
                return null;
            });
            Awaitility.await().until(() -> locks.inspect(KEY).waiters() == 1);

            held.close();

            next.join();
        } finally {
            unknown.destroy();
        }
    }

    private static String connections(RedisServerProcess server, LettuceConnectionFactory applications) {
        try (RedisLockStore store = new RedisLockStore(applications, TestRedis.PATIENT);
                LockEngine locks = LockEngine.builder(store).build();
                Jedis redis = TestRedis.administrator(server.port());
                LockHandle held = locks.acquire(KEY)) {
            assertThat(held.isHeld()).isTrue();
            return Awaitility.await().until(redis::clientList, CarriedOverTest::isEstablished);
        }
    }

    /** A connection that has a name already may not have chosen its database yet. */
    private static boolean isEstablished(String connections) {
        return connections.lines().noneMatch(line -> line.contains(" cmd=client ") && !line.contains(" name= "));
    }

    @ParameterizedTest
    @EnumSource(names = {"RESP2", "RESP3"})
    void database_client_name_and_protocol(ProtocolVersion protocol) {
        try (RedisServerProcess server = RedisServerProcess.start()) {
            RedisStandaloneConfiguration place = new RedisStandaloneConfiguration("127.0.0.1", server.port());
            place.setDatabase(5);
            LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                    .clientName("the-shop")
                    .clientOptions(
                            ClientOptions.builder().protocolVersion(protocol).build())
                    .build();

            String connections = connections(server, new LettuceConnectionFactory(place, client));

            assertThat(connections.lines().filter(line -> line.contains(" name=the-shop ")))
                    .isNotEmpty()
                    .allMatch(line -> line.contains(" db=5 "));
            try (Jedis redis = TestRedis.administrator(server.port())) {
                redis.select(5);
                assertThat(redis.exists("holdfast:{" + KEY + "}")).isTrue();
            }
        }
    }

    /** The certificate is for 127.0.0.1. */
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, true, FULL, true",
        "localhost, true, FULL, false",
        "localhost, true, CA, true",
        "127.0.0.1, false, CA, false",
        "localhost, false, NONE, true"
    })
    void verification_of_certificates(String host, boolean trusted, SslVerifyMode verify, boolean accepted) {
        TlsRedis server = RedisTopology.tls();
        RedisStandaloneConfiguration place = new RedisStandaloneConfiguration(host, server.tlsPort());
        place.setPassword(server.password());
        SslOptions.Builder options = SslOptions.builder();
        if (trusted) {
            options.trustManager(new File(server.certificateFile()));
        }
        LettuceConnectionFactory applications = new LettuceConnectionFactory(
                place,
                LettuceClientConfiguration.builder()
                        .clientOptions(ClientOptions.builder()
                                .sslOptions(options.build())
                                .build())
                        .useSsl()
                        .verifyPeer(verify)
                        .build());
        try (RedisLockStore store = new RedisLockStore(applications, TestRedis.PATIENT)) {
            assertThat(store.toString()).contains(" over dedicated connections, ");
            if (accepted) {
                assertThat(store.inspect(LockKey.of(KEY))).isNotNull();
            } else {
                assertThatThrownBy(() -> store.inspect(LockKey.of(KEY)))
                        .isInstanceOf(LockStoreException.class)
                        .hasMessageStartingWith("The TLS handshake with Redis at " + host);
            }
        }
    }

    @Test
    void factory_need_not_be_started() {
        try (RedisServerProcess server = RedisServerProcess.start()) {
            LettuceConnectionFactory applications = new LettuceConnectionFactory("127.0.0.1", server.port());
            assertThat(connections(server, applications)).isNotEmpty();
            assertThat(applications.isRunning()).isFalse();
        }
    }
}
