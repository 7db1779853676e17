package io.holdfast.lock.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * The address of a separate Redis for locks. A bean of this type replaces {@code holdfast.redis.url} and its bundle; for example, a
 * test creates one from a container.
 */
public interface LockConnectionDetails extends ConnectionDetails {

    /** {@return the host of the server} */
    String getHost();

    /** {@return the port of the server} */
    int getPort();

    /** {@return the number of the database} */
    default int getDatabase() {
        return 0;
    }

    /** {@return the user name; null for the default user} */
    default @Nullable String getUsername() {
        return null;
    }

    /** {@return the password; null for none} */
    default @Nullable String getPassword() {
        return null;
    }

    /** {@return the SSL bundle for TLS; null for a connection without TLS} */
    default @Nullable SslBundle getSslBundle() {
        return null;
    }
}
