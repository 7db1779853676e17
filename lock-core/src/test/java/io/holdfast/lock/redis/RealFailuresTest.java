package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.THROWABLE;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.MaskedRepliesTest.Driver;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.TlsRedis;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.TrustManagerFactory;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/** What calls report if a real server, or the way to it, is not as it should be. */
@ParameterizedClass
@EnumSource
@Tag("full")
class RealFailuresTest {

    @Parameter
    private Driver driver;

    /** The first call, those that wait for the next attempts to connect, and one that gives up before the last attempt has failed. */
    private List<LockStoreException> failuresAt(String host, int port, @Nullable TrustManagerFactory trust) {
        RedisConnectionFactory connections = driver.connect(new RedisStandaloneConfiguration(host, port), trust);
        try (RedisLockStore store = new RedisLockStore(
                        connections, RedisLockSettings.STANDARD.withCommandTimeout(Duration.ofSeconds(2)));
                LockEngine locks = LockEngine.builder(store).build()) {
            return Stream.<ThrowingCallable>of(
                            () -> store.inspect(LockKey.of("a")),
                            () -> locks.acquire(LockRequest.of("a").waitFor(Duration.ZERO)),
                            () -> locks.acquire(LockRequest.of("a").waitFor(Duration.ofMillis(200))))
                    .map(call -> catchThrowableOfType(LockStoreException.class, call))
                    .toList();
        } finally {
            TestRedis.destroy(connections);
        }
    }

    @Test
    void server_that_does_not_listen() throws Exception {
        int nobody;
        try (ServerSocket closedAtOnce = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = closedAtOnce.getLocalPort();
        }

        assertThat(failuresAt("127.0.0.1", nobody, null)).allSatisfy(failure -> {
            assertThat(failure)
                    .hasMessageContainingAll(
                            " cannot be reached. Check that the server is running", "Connection refused");
            assertThat(failure.outcomeUnknown()).isFalse();
        });
    }

    /** A broadcast address, to which Linux has no route for TCP. */
    @Test
    void network_that_is_unreachable() {
        assertThat(failuresAt("255.255.255.255", 6379, null)).allSatisfy(failure -> {
            assertThat(failure).hasMessageContainingAll(" cannot be reached. Check", "unreachable");
            assertThat(failure.outcomeUnknown()).isFalse();
        });
    }

    @Test
    void host_that_nobody_knows() {
        assertThat(failuresAt("nobody.invalid", 6379, null))
                .allSatisfy(failure -> assertThat(failure).hasMessageContaining(" cannot be reached. Check"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"EVALSHA", "HMGET"})
    void command_that_was_renamed(String command) {
        try (RedisServerProcess server = RedisServerProcess.start("--rename-command", command, "OTHER")) {
            assertThat(failuresAt("127.0.0.1", server.port(), null))
                    .allSatisfy(failure -> assertThat(failure)
                            .hasMessageContainingAll("rejected the call: ERR", "disabled or renamed on the server")
                            .hasMessageNotContainingAny("6.2 or later", "with args"));
        }
    }

    @Test
    void server_without_tls() throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init((KeyStore) null);

        assertThat(failuresAt("127.0.0.1", TestRedis.shared().port(), trust))
                .allSatisfy(failure -> assertThat(failure).hasMessageContaining("TLS"))
                .last(THROWABLE)
                .hasMessageNotContaining("CPU");
    }

    @Test
    void server_with_tls() {
        try (TlsRedis server = TlsRedis.startOrSkip()) {
            assertThat(failuresAt("127.0.0.1", server.tlsPort(), null))
                    .allSatisfy(failure ->
                            assertThat(failure).hasMessageContaining("TLS").hasMessageNotContaining("CPU"));
        }
    }
}
