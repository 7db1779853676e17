package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.spring.annotation.LockDefinitionException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Creates Jedis connection factories for servers that only locks use. They are not beans, so nothing in the application or in
 * Spring Boot mistakes them for the application's Redis. A lock store reads a factory's configuration and creates its own
 * connections from that, so no factory is started.
 */
final class LockConnections {

    private static final String JEDIS = "redis.clients.jedis.RedisClient";
    private static final int DEFAULT_PORT = 6379;
    private static final int LAST_PORT = 65_535;
    private static final Pattern SCHEME = Pattern.compile("rediss?");
    private static final Pattern DATABASE = Pattern.compile("(/\\d{0,9})?");

    private LockConnections() {}

    /**
     * Creates a factory for a server.
     *
     * @param property the property that contains the URL
     * @param url may lack the scheme
     * @param bundle for TLS, which {@code rediss://} enables as well
     * @throws LockDefinitionException if the URL is invalid, or Jedis is missing
     */
    static RedisConnectionFactory create(String property, String url, @Nullable SslBundle bundle) {
        URI uri = uri(property, url);
        if (!ClassUtils.isPresent(JEDIS, null)) {
            throw new LockDefinitionException(
                    "Locks use Jedis for " + name(property, url) + ", but Jedis is not on the classpath.",
                    "Add redis.clients:jedis, or let locks use a RedisConnectionFactory of the application.");
        }
        RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(uri.getHost(), port(uri));
        if (uri.getPath().length() > 1) {
            server.setDatabase(Integer.parseInt(uri.getPath().substring(1)));
        }
        String login = uri.getRawUserInfo();
        if (login != null) {
            int colon = login.indexOf(':');
            server.setUsername(colon > 0 ? decoded(login.substring(0, colon)) : null);
            server.setPassword(RedisPassword.of(decoded(login.substring(colon + 1))));
        }
        SslBundle tls = bundle == null && "rediss".equals(uri.getScheme()) ? SslBundle.systemDefault() : bundle;
        return Factories.create(server, tls);
    }

    /** {@return host and port, without secrets} */
    static String name(String property, String url) {
        URI uri = uri(property, url);
        return uri.getHost().toLowerCase(Locale.ROOT) + ':' + port(uri);
    }

    private static int port(URI uri) {
        return uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort();
    }

    /** Neither the URL nor the parser's message is repeated, because both may contain a password. */
    private static URI uri(String property, String url) {
        try {
            URI uri = new URI(url.contains("://") ? url : "redis://" + url);
            if (SCHEME.matcher(uri.getScheme()).matches()
                    && uri.getHost() != null
                    && uri.getPort() != 0
                    && uri.getPort() <= LAST_PORT
                    && DATABASE.matcher(uri.getPath()).matches()
                    && uri.getQuery() == null
                    && uri.getFragment() == null) {
                return uri;
            }
        } catch (URISyntaxException e) {
            // reported like any other invalid URL
        }
        throw new LockDefinitionException(
                property + " is not the URL of a Redis server.",
                "Change it to redis://[user:password@]host[:port][/database], or rediss:// for TLS, with special"
                        + " characters in the user and password percent-encoded.");
    }

    /** A plus sign does not stand for a space here. */
    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** Loaded only if Jedis is present. */
    private static final class Factories {

        static JedisConnectionFactory create(RedisStandaloneConfiguration server, @Nullable SslBundle bundle) {
            var client = JedisClientConfiguration.builder();
            if (bundle != null) {
                SSLParameters parameters = new SSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS"); // the certificate must be that of the host
                PropertyMapper map = PropertyMapper.get();
                map.from(bundle.getOptions()::getCiphers).to(parameters::setCipherSuites);
                map.from(bundle.getOptions()::getEnabledProtocols).to(parameters::setProtocols);
                client.useSsl()
                        .sslSocketFactory(bundle.createSslContext().getSocketFactory())
                        .sslParameters(parameters);
            }
            return new JedisConnectionFactory(server, client.build());
        }
    }
}
