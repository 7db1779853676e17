package io.holdfast.lock.testing;

import java.util.List;
import java.util.Optional;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/** A real server that requires a password, and speaks TLS on its second port. */
public final class TlsRedis implements AutoCloseable {

    private static final String PASSWORD = "a password";

    private final SelfSignedCertificate certificate;
    private final RedisServerProcess server;

    private TlsRedis(SelfSignedCertificate certificate, RedisServerProcess server) {
        this.certificate = certificate;
        this.server = server;
    }

    /** Starts it, unless redis-server was built without TLS. */
    public static Optional<TlsRedis> startIfSupported() {
        SelfSignedCertificate certificate = SelfSignedCertificate.create();
        try {
            return Optional.of(new TlsRedis(certificate, start(certificate)));
        } catch (IllegalStateException e) {
            if (isSupported()) {
                throw e;
            }
            return Optional.empty();
        }
    }

    /** Starts it, or skips the test if redis-server was built without TLS. */
    public static TlsRedis startOrSkip() {
        return startIfSupported().orElseThrow(TlsRedis::skipped);
    }

    static TestAbortedException skipped() {
        return new TestAbortedException("SKIPPED: TLS, since this redis-server was built without it");
    }

    private static RedisServerProcess start(SelfSignedCertificate certificate) {
        return RedisServerProcess.start(port -> List.of(
                "--tls-port",
                String.valueOf(tlsPort(port)),
                "--tls-cert-file",
                certificate.certificateFile(),
                "--tls-key-file",
                certificate.keyFile(),
                "--tls-ca-cert-file",
                certificate.certificateFile(),
                "--tls-auth-clients",
                "no",
                "--requirepass",
                PASSWORD));
    }

    /** A server without TLS does not know any of the TLS options. */
    private static boolean isSupported() {
        try (RedisServerProcess server = RedisServerProcess.start("--tls-replication", "no")) {
            return server.port() > 0;
        } catch (IllegalStateException unknownOption) {
            return false;
        }
    }

    private static int tlsPort(int port) {
        return port + FreePorts.SECOND;
    }

    /** The port without TLS. */
    public int port() {
        return server.port();
    }

    /** The port with TLS. */
    public int tlsPort() {
        return tlsPort(server.port());
    }

    /** The certificate that clients must trust, as PEM. */
    public String certificateFile() {
        return certificate.certificateFile();
    }

    public String password() {
        return PASSWORD;
    }

    /** Connects over TLS, as a client that trusts its certificate and knows the password. */
    public RedisConnectionFactory connect(TestRedis.Client client) {
        return connect(client, certificate, PASSWORD);
    }

    /** Connects as a client that trusts another certificate. */
    public RedisConnectionFactory connectSuspicious(TestRedis.Client client) {
        return connect(client, SelfSignedCertificate.create(), PASSWORD);
    }

    public RedisConnectionFactory connectWithoutPassword(TestRedis.Client client) {
        return connect(client, certificate, null);
    }

    private RedisConnectionFactory connect(
            TestRedis.Client client, SelfSignedCertificate trusted, @Nullable String password) {
        RedisStandaloneConfiguration place = at("127.0.0.1");
        place.setPassword(RedisPassword.of(password));
        return client.connect(place, trusted.trust());
    }

    /** The address with TLS, by any name of this machine: the certificate is that of 127.0.0.1 alone. */
    public RedisStandaloneConfiguration at(String host) {
        RedisStandaloneConfiguration place = new RedisStandaloneConfiguration(host, tlsPort());
        place.setPassword(PASSWORD);
        return place;
    }

    /** Trusts its certificate, and no other. */
    public TrustManagerFactory trust() {
        return certificate.trust();
    }

    @Override
    public void close() {
        server.close();
    }
}
