package io.holdfast.lock.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Where the Redis of locks is, if it is not the application's. A bean of this type takes the place of
 * {@code holdfast.redis.url} and its bundle: a test makes one from the container that it has started, for example.
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

    /** {@return the user to log in as; null for the default user} */
    default @Nullable String getUsername() {
        return null;
    }

    /** {@return the password to log in with; null if there is none} */
    default @Nullable String getPassword() {
        return null;
    }

    /** {@return the bundle to speak TLS with; null to speak without} */
    default @Nullable SslBundle getSslBundle() {
        return null;
    }
}
