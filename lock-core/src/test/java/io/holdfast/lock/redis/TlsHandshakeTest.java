package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.threads.DaemonThreads;
import java.io.IOException;
import java.net.InetAddress;
import java.security.KeyStore;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/** What locks report of TLS handshakes that fail, on a server of the JDK, since not every redis-server has TLS. */
class TlsHandshakeTest {

    private SSLServerSocket server;

    @BeforeEach
    void start() throws Exception {
        server = (SSLServerSocket) SSLContext.getDefault()
                .getServerSocketFactory()
                .createServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        DaemonThreads.create(this::serve, "tls-server").start();
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    /** It has no certificate, so each handshake fails. */
    private void serve() {
        while (!server.isClosed()) {
            try (SSLSocket client = (SSLSocket) server.accept()) {
                client.startHandshake();
            } catch (IOException expected) {
                // the next client
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void failed_handshake_is_reported_as_such(TestRedis.Client client) throws Exception {
        LockStoreException failure = failureAt(server.getLocalPort(), client);

        assertThat(failure)
                .hasMessageContainingAll(
                        client == TestRedis.Client.JEDIS
                                ? "The TLS handshake with Redis at 127.0.0.1:" + server.getLocalPort() + " failed"
                                : "The TLS handshake with Redis via ",
                        "trusts its certificate",
                        "spring.data.redis.ssl.bundle")
                .hasRootCauseInstanceOf(SSLHandshakeException.class);
        assertThat(failure.outcomeUnknown()).isFalse(); // nothing was sent
    }

    private static LockStoreException failureAt(int port, TestRedis.Client client) throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init((KeyStore) null);
        RedisConnectionFactory application = client.connect(new RedisStandaloneConfiguration("127.0.0.1", port), trust);
        // A first connection with TLS loads hundreds of classes.
        RedisLockStore store =
                new RedisLockStore(application, RedisLockSettings.STANDARD.withCommandTimeout(Duration.ofSeconds(30)));
        try {
            return catchThrowableOfType(LockStoreException.class, () -> store.inspect(LockKey.of("order:42")));
        } finally {
            store.close();
            TestRedis.destroy(application);
        }
    }
}
