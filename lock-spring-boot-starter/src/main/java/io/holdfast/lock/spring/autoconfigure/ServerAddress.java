package io.holdfast.lock.spring.autoconfigure;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;

/**
 * Where one server is.
 *
 * @param host its name or address
 * @param port its port
 * @param url how it was named, with secrets, if by a URL
 */
record ServerAddress(String host, int port, @Nullable String url) {

    private static final String NODE = "host:port, with a port from 1 to 65535";
    private static final String URL = "redis://[user:password@]host:port[/database], or rediss:// for TLS, with special"
            + " characters in user and password percent-encoded";
    private static final Pattern NODE_FORM = Pattern.compile("([^\\s:/@\\[\\]]+|\\[[0-9a-fA-F:.]+]):(\\d{1,5})");
    private static final Pattern DATABASE_FORM = Pattern.compile("(/\\d{0,9})?");
    private static final int LAST_PORT = 65_535;

    /**
     * Reads {@code host:port}.
     *
     * @throws InvalidLockPropertyException if it is something else
     */
    static ServerAddress ofNode(String property, String text) {
        Matcher parts = NODE_FORM.matcher(text);
        if (!parts.matches() || !isPort(Integer.parseInt(parts.group(2)))) {
            throw new InvalidLockPropertyException(property, withoutSecrets(text), NODE);
        }
        return new ServerAddress(parts.group(1), Integer.parseInt(parts.group(2)), null);
    }

    /**
     * Reads {@code host:port} or a URL.
     *
     * @throws InvalidLockPropertyException if it is something else
     */
    static ServerAddress ofNodeOrUrl(String property, String text) {
        if (NODE_FORM.matcher(text).matches()) {
            return ofNode(property, text);
        }
        return of(property, text, "host:port, or " + URL);
    }

    /**
     * Reads a URL.
     *
     * @throws InvalidLockPropertyException if it is something else
     */
    static ServerAddress ofUrl(String property, String text) {
        return of(property, text, URL);
    }

    private static ServerAddress of(String property, String text, String allowed) {
        URI uri = uri(text);
        if (uri == null || !isRedis(uri)) {
            throw new InvalidLockPropertyException(property, withoutSecrets(text), allowed);
        }
        return new ServerAddress(uri.getHost(), uri.getPort(), text);
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
                && isPort(uri.getPort())
                && DATABASE_FORM.matcher(uri.getPath()).matches()
                && uri.getQuery() == null
                && uri.getFragment() == null;
    }

    private static boolean isPort(int number) {
        return number >= 1 && number <= LAST_PORT;
    }

    /** Without secrets. */
    String name() {
        return host + ':' + port;
    }

    DataRedisProperties toBoot() {
        DataRedisProperties boot = new DataRedisProperties();
        boot.setHost(host);
        boot.setPort(port);
        boot.setUrl(url);
        return boot;
    }

    private static String withoutSecrets(String text) {
        int start = text.indexOf("://");
        int end = text.lastIndexOf('@');
        return end < 0 ? text : (start < 0 ? "" : text.substring(0, start + 3)) + "***" + text.substring(end);
    }
}
