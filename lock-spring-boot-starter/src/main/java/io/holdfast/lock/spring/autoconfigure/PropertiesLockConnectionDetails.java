package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.spring.LockConfigurationException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.StringUtils;

/**
 * The server of a property that contains a URL.
 *
 * @param uri valid
 * @param bundle for TLS, which {@code rediss://} enables as well
 */
record PropertiesLockConnectionDetails(URI uri, @Nullable SslBundle bundle) implements LockConnectionDetails {

    private static final int DEFAULT_PORT = 6379;
    private static final int LAST_PORT = 65_535;
    private static final Pattern SCHEME = Pattern.compile("rediss?");
    private static final Pattern DATABASE = Pattern.compile("(/\\d{0,9})?");

    /**
     * {@return the server of a property} Neither the URL nor the parser's message is repeated, because both may contain a password.
     *
     * @param property the name of the property
     * @param url its value, which may lack the scheme
     * @throws LockConfigurationException if the URL is invalid
     */
    static PropertiesLockConnectionDetails of(String property, String url, @Nullable SslBundle bundle) {
        try {
            URI uri = new URI(url.contains("://") ? url : "redis://" + url);
            if (SCHEME.matcher(uri.getScheme()).matches()
                    && uri.getHost() != null
                    && uri.getPort() != 0
                    && uri.getPort() <= LAST_PORT
                    && DATABASE.matcher(uri.getPath()).matches()
                    && uri.getQuery() == null
                    && uri.getFragment() == null) {
                return new PropertiesLockConnectionDetails(uri, bundle);
            }
        } catch (URISyntaxException e) {
            // reported like any other invalid URL
        }
        throw new LockConfigurationException(
                property + " is not the URL of a Redis server.",
                "Change it to redis://[user:password@]host[:port][/database], or rediss:// for TLS, with special"
                        + " characters in the user and password percent-encoded.");
    }

    /** Host and port, without the password. */
    @Override
    public String toString() {
        return uri.getHost().toLowerCase(Locale.ROOT) + ':' + getStandalone().port();
    }

    @Override
    public @Nullable String getUsername() {
        String login = uri.getRawUserInfo();
        int colon = login == null ? 0 : login.indexOf(':');
        return colon > 0 ? StringUtils.uriDecode(login.substring(0, colon), StandardCharsets.UTF_8) : null;
    }

    @Override
    public @Nullable String getPassword() {
        String login = uri.getRawUserInfo();
        return login == null
                ? null
                : StringUtils.uriDecode(login.substring(login.indexOf(':') + 1), StandardCharsets.UTF_8);
    }

    @Override
    public @Nullable SslBundle getSslBundle() {
        return bundle == null && "rediss".equals(uri.getScheme()) ? SslBundle.systemDefault() : bundle;
    }

    @Override
    public Standalone getStandalone() {
        int port = uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort();
        String database = uri.getPath().length() > 1 ? uri.getPath().substring(1) : "0";
        return new Standalone(uri.getHost(), port, Integer.parseInt(database));
    }
}
