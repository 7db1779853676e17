package io.holdfast.lock.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * A separate Redis for locks. A bean of this type replaces {@code holdfast.redis.url} and its bundle; for example, a test creates
 * one from a container.
 */
public interface LockConnectionDetails extends ConnectionDetails {

    /** {@return {@code redis://[user:password@]host[:port][/database]}, or {@code rediss://} for TLS} */
    String getUrl();

    /** {@return the SSL bundle for TLS; null to use what the URL specifies} */
    default @Nullable SslBundle getSslBundle() {
        return null;
    }
}
