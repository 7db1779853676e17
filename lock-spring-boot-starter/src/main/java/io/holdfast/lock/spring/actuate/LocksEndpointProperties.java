package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.spring.autoconfigure.InvalidLockPropertyException;
import java.time.Duration;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What the endpoint shows.
 *
 * @param showKeys When to show the keys of locks that are held or waited for.
 * @param roles Roles used to determine whether a user is authorized to see keys. When empty, all authenticated users are
 *     authorized.
 * @param scanInterval Minimum time between two scans of all locks, regardless of the number of clients. At least 1 second.
 */
@ConfigurationProperties("management.endpoint.locks")
record LocksEndpointProperties(
        @DefaultValue("never") Show showKeys,
        @DefaultValue Set<String> roles,
        @DefaultValue("2s") Duration scanInterval) {

    private static final Duration LEAST_INTERVAL = Duration.ofSeconds(1);

    LocksEndpointProperties {
        if (scanInterval.compareTo(LEAST_INTERVAL) < 0) {
            throw new InvalidLockPropertyException(
                    "management.endpoint.locks.scan-interval", scanInterval, "at least 1s");
        }
    }
}
