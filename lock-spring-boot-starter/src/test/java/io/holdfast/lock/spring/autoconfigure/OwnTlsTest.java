package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.TlsRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import redis.clients.jedis.Jedis;

/** A server of the locks' own speaks TLS, by a certificate that only an SSL bundle of the application trusts. */
@Timeout(60)
class OwnTlsTest {

    private static TlsRedis server;

    private final String key = "tls-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        server = TlsRedis.startOrSkip();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static ApplicationContextRunner application() {
        return Runners.redis()
                .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
                .withPropertyValues(
                        "spring.ssl.bundle.pem.locks.truststore.certificate=file:" + server.certificateFile(),
                        "holdfast.redis.command-timeout=30s"); // a handshake may be slow
    }

    private static String url(TlsRedis redis) {
        return "rediss://default:" + redis.password().replace(" ", "%20") + "@127.0.0.1:" + redis.tlsPort();
    }

    private static boolean holds(TlsRedis redis, String key) {
        try (Jedis jedis = TestRedis.administrator(redis.port())) {
            jedis.auth(redis.password());
            return jedis.hexists("holdfast:{" + key + "}", "owner");
        }
    }

    private void locksThere(ApplicationContextRunner application) {
        application.run(context -> context.getBean(LockTemplate.class)
                .execute(key, () -> assertThat(holds(server, key)).isTrue()));
    }

    private void failsToConnect(ApplicationContextRunner application) {
        application.run(context -> assertThatThrownBy(
                        () -> context.getBean(LockTemplate.class).tryAcquire(key))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContainingAll("The TLS handshake with Redis at", "trusts its certificate", "ssl.bundle"));
    }

    @Tag("full")
    @Test
    void client_without_tls_is_advised_to_check_tls() {
        application()
                .withPropertyValues("holdfast.redis.url=" + url(server).replace("rediss:", "redis:"))
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(LockTemplate.class).tryAcquire(key))
                        .isInstanceOf(LockStoreException.class)
                        .hasMessageContaining("both sides agree on TLS"));
    }

    @Tag("full")
    @Test
    void bundle_of_the_application_enables_tls() {
        locksThere(application()
                .withPropertyValues(
                        "holdfast.redis.url=" + url(server).replace("rediss:", "redis:"),
                        "holdfast.redis.ssl.bundle=locks"));
    }

    @Tag("full")
    @Test
    void url_may_ask_for_tls_too() {
        locksThere(application()
                .withPropertyValues("holdfast.redis.url=" + url(server), "holdfast.redis.ssl.bundle=locks"));
    }

    @Tag("full")
    @Test
    void without_the_bundle_the_certificate_is_not_trusted() {
        failsToConnect(application().withPropertyValues("holdfast.redis.url=" + url(server)));
    }

    @Test
    void certificate_must_be_that_of_the_host() {
        application()
                .withPropertyValues(
                        "holdfast.redis.url=" + url(server).replace("@127.0.0.1:", "@localhost:"),
                        "holdfast.redis.ssl.bundle=locks")
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(LockTemplate.class).tryAcquire(key))
                        .isInstanceOf(LockStoreException.class)
                        .hasRootCauseInstanceOf(CertificateException.class));
    }

    /** Each has a certificate of its own; the third one is down, so both others are needed. */
    @Tag("full")
    @Test
    void bundle_enables_tls_for_all_servers_of_a_quorum(@TempDir Path directory) throws IOException {
        try (TlsRedis second = TlsRedis.startOrSkip()) {
            Path both = directory.resolve("both.pem");
            Files.writeString(both, content(server) + content(second));
            application()
                    .withPropertyValues(
                            "spring.ssl.bundle.pem.both.truststore.certificate=file:" + both,
                            "holdfast.lease=4s",
                            "holdfast.quorum.command-timeout=10s",
                            "holdfast.quorum.nodes=" + url(server) + ","
                                    + url(second).replace("rediss:", "redis:") + ",127.0.0.1:1",
                            "holdfast.quorum.ssl.bundle=both")
                    .run(context -> QuorumServers.joined(context).execute(key, () -> {
                        assertThat(holds(server, key)).isTrue();
                        assertThat(holds(second, key)).isTrue();
                    }));
        }
    }

    private static String content(TlsRedis redis) throws IOException {
        return Files.readString(Path.of(redis.certificateFile()));
    }
}
