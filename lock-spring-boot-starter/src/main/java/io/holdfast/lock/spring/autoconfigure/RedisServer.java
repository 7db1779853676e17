package io.holdfast.lock.spring.autoconfigure;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/**
 * Where one server is, and how to log in.
 *
 * @param tls whether it is spoken to by TLS; without a bundle, with what the JVM trusts
 */
record RedisServer(
        String host,
        int port,
        int database,
        @Nullable String username,
        @Nullable String password,
        boolean tls,
        @Nullable SslBundle bundle) {

    static final int DEFAULT_PORT = 6379;

    private static final String URL =
            "redis://[user:password@]host[:port][/database], or rediss:// for TLS, with special characters in the"
                    + " user and password percent-encoded";
    private static final Pattern NODE_FORM = Pattern.compile("([^\\s:/@\\[\\]]+|\\[[0-9a-fA-F:.]+]):(\\d{1,5})");
    private static final Pattern DATABASE_FORM = Pattern.compile("(/\\d{0,9})?");

    /** Without user and password. The rest of them may be in the next element of a list, if the password has a comma in it. */
    private static final Pattern PLAIN_FORM = Pattern.compile("[^:]*://[^:/]*(:\\d*)?([/?#].*)?");

    private static final int LAST_PORT = 65_535;

    /**
     * Reads {@code host:port} or a URL.
     *
     * @throws InvalidLockPropertyException if it is something else
     */
    static RedisServer ofNodeOrUrl(String property, String text) {
        Matcher parts = NODE_FORM.matcher(text);
        if (parts.matches() && isPort(Integer.parseInt(parts.group(2)))) {
            return new RedisServer(parts.group(1), Integer.parseInt(parts.group(2)), 0, null, null, false, null);
        }
        return of(property, text, "host:port, with a port from 1 to 65535, or " + URL);
    }

    /**
     * Reads a URL.
     *
     * @throws InvalidLockPropertyException if it is something else
     */
    static RedisServer ofUrl(String property, String text) {
        return of(property, text, URL);
    }

    private static RedisServer of(String property, String text, String allowed) {
        URI uri = uri(text);
        if (uri == null || !isRedis(uri)) {
            throw new InvalidLockPropertyException(property, withoutSecrets(text), allowed);
        }
        String login = uri.getRawUserInfo();
        int colon = login == null ? -1 : login.indexOf(':');
        return new RedisServer(
                uri.getHost(),
                uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort(),
                uri.getPath().length() < 2 ? 0 : Integer.parseInt(uri.getPath().substring(1)),
                colon > 0 ? decoded(login.substring(0, colon)) : null,
                login == null ? null : decoded(login.substring(colon + 1)),
                "rediss".equals(uri.getScheme()),
                null);
    }

    /** Null if it is none. What the parser says is dropped, since it repeats the password. */
    private static @Nullable URI uri(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            return null;
        }
    }

    private static boolean isRedis(URI uri) {
        return ("redis".equals(uri.getScheme()) || "rediss".equals(uri.getScheme()))
                && uri.getHost() != null
                && (uri.getPort() == -1 || isPort(uri.getPort()))
                && DATABASE_FORM.matcher(uri.getPath()).matches()
                && uri.getQuery() == null
                && uri.getFragment() == null;
    }

    static boolean isPort(int number) {
        return number >= 1 && number <= LAST_PORT;
    }

    /** A plus is no blank here. */
    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    static RedisServer of(LockConnectionDetails details) {
        SslBundle bundle = details.getSslBundle();
        return new RedisServer(
                details.getHost(),
                details.getPort(),
                details.getDatabase(),
                details.getUsername(),
                details.getPassword(),
                bundle != null,
                bundle);
    }

    /** By TLS, with that bundle. Null changes nothing. */
    RedisServer with(@Nullable SslBundle sslBundle) {
        return sslBundle == null ? this : new RedisServer(host, port, database, username, password, true, sslBundle);
    }

    /** With what the JVM trusts, unless there is a bundle. */
    RedisServer byTls() {
        return new RedisServer(host, port, database, username, password, true, bundle);
    }

    /** Without secrets. */
    String name() {
        return host + ':' + port;
    }

    /** Without secrets. */
    @Override
    public String toString() {
        return name();
    }

    private static String withoutSecrets(String text) {
        int start = text.indexOf("://");
        int end = text.lastIndexOf('@');
        if (end >= 0) {
            return (start < 0 ? "" : text.substring(0, start + 3)) + "***" + text.substring(end);
        }
        return start < 0 || PLAIN_FORM.matcher(text).matches() ? text : text.substring(0, start + 3) + "***";
    }
}
