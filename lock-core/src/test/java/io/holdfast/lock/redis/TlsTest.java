package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.TlsRedis;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import java.security.GeneralSecurityException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration.JedisSslClientConfigurationBuilder;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** What the application's connections do not trust, or are not trusted with, the locks' connections are not either. */
class TlsTest {

    @ParameterizedTest
    @EnumSource
    void server_whose_certificate_is_not_trusted_gets_no_commands(TestRedis.Client client) {
        assertFails(RedisTopology.tls().connectSuspicious(client), "certificate");
    }

    @ParameterizedTest
    @EnumSource
    void client_without_the_password_is_refused(TestRedis.Client client) {
        assertFails(RedisTopology.tls().connectWithoutPassword(client), "NOAUTH");
    }

    /** How an application connects that lets only the host of the certificate pass. */
    enum Strict {
        JEDIS {
            @Override
            RedisConnectionFactory connect(RedisStandaloneConfiguration server, TrustManagerFactory trust) {
                SSLParameters parameters = new SSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                return jedis(server, trust, tls -> tls.sslParameters(parameters));
            }
        },
        JEDIS_WITH_A_VERIFIER {
            @Override
            RedisConnectionFactory connect(RedisStandaloneConfiguration server, TrustManagerFactory trust) {
                return jedis(server, trust, tls -> tls.hostnameVerifier((host, session) -> host.equals("127.0.0.1")));
            }
        },
        LETTUCE {
            @Override
            RedisConnectionFactory connect(RedisStandaloneConfiguration server, TrustManagerFactory trust) {
                return TestRedis.lettuce(server, trust);
            }
        },
        TEMPLATE {
            @Override
            RedisConnectionFactory connect(RedisStandaloneConfiguration server, TrustManagerFactory trust) {
                return TestRedis.Client.TEMPLATE.connect(server, trust);
            }
        };

        abstract RedisConnectionFactory connect(RedisStandaloneConfiguration server, TrustManagerFactory trust);

        static RedisConnectionFactory jedis(
                RedisStandaloneConfiguration server,
                TrustManagerFactory trust,
                Consumer<JedisSslClientConfigurationBuilder> settings) {
            var client = JedisClientConfiguration.builder().useSsl().sslSocketFactory(sockets(trust));
            settings.accept(client);
            return started(new JedisConnectionFactory(server, client.build()));
        }
    }

    private static SSLSocketFactory sockets(TrustManagerFactory trust) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static <F extends RedisConnectionFactory & SmartLifecycle & InitializingBean> F started(F factory) {
        try {
            factory.afterPropertiesSet();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        factory.start();
        return factory;
    }

    @ParameterizedTest
    @EnumSource
    void certificate_must_be_that_of_the_host(Strict client) {
        TlsRedis server = RedisTopology.tls();

        assertFails(
                client.connect(server.at("localhost"), server.trust()),
                client == Strict.JEDIS_WITH_A_VERIFIER ? "localhost" : "No name matching localhost found",
                "Check that the server's certificate contains the host name");
        assertWorks(client.connect(server.at("127.0.0.1"), server.trust()));
    }

    /** Lettuce checks neither, the certificate without its host, or both. */
    @ParameterizedTest
    @EnumSource(value = SslVerifyMode.class, mode = EnumSource.Mode.EXCLUDE, names = "FULL")
    void application_may_trust_more(SslVerifyMode mode) throws Exception {
        TlsRedis server = RedisTopology.tls();
        SslOptions.Builder trusted = SslOptions.builder();
        var client = LettuceClientConfiguration.builder()
                .clientOptions(ClientOptions.builder()
                        .sslOptions((mode == SslVerifyMode.CA ? trusted.trustManager(server.trust()) : trusted).build())
                        .build())
                .useSsl()
                .verifyPeer(mode);

        assertWorks(started(new LettuceConnectionFactory(server.at("localhost"), client.build())));
    }

    private static void assertWorks(RedisConnectionFactory application) {
        RedisLockStore store = new RedisLockStore(application, TestRedis.PATIENT);
        try {
            assertThat(store.inspect(LockKey.of("order:42")).holders()).isEmpty();
        } finally {
            store.close();
            TestRedis.destroy(application);
        }
    }

    private static void assertFails(RedisConnectionFactory application, String... reasons) {
        // A first connection with TLS loads hundreds of classes.
        RedisLockStore store = new RedisLockStore(application, TestRedis.PATIENT);
        try {
            var failure = assertThatThrownBy(() -> store.inspect(LockKey.of("order:42")))
                    .isInstanceOf(LockStoreException.class);
            Stream.of(reasons).forEach(reason -> failure.hasStackTraceContaining(reason));
        } finally {
            store.close();
            TestRedis.destroy(application);
        }
    }
}
