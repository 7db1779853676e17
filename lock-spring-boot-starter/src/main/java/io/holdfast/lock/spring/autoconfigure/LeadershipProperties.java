package io.holdfast.lock.spring.autoconfigure;

import static io.holdfast.lock.spring.autoconfigure.InvalidLockPropertyException.checkTime;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.leader.LeaderSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Leadership among the instances of the application.
 *
 * @param enabled Whether this instance may become a leader. Can be overridden for each role.
 * @param lease How long until a crashed leader is replaced, at least 100ms. Default is the value of
 *     holdfast.lease.
 * @param roles Settings of roles, by role name. A Leadership bean is available for each role named here.
 */
record LeadershipProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable Duration lease,
        @DefaultValue Map<String, Role> roles) {

    /**
     * One role.
     *
     * @param enabled Whether this instance may become its leader. Default is the value of holdfast.leadership.enabled.
     * @param lease How long until its crashed leader is replaced. Default is the value of
     *     holdfast.leadership.lease.
     * @param key Key of its lock. Default is leader:<role>.
     */
    record Role(
            @Nullable Boolean enabled,
            @Nullable Duration lease,
            @Nullable String key) {}

    /**
     * Checks each value, so that a failure names its property.
     *
     * @throws InvalidLockPropertyException if a value is out of range
     */
    LeadershipProperties {
        checkTime("holdfast.leadership.lease", lease, LockRequest.MIN_LEASE);
        roles.forEach((name, role) -> {
            String prefix = "holdfast.leadership.roles." + name;
            LockProperties.requireLiteral("holdfast.leadership.roles", name, "name");
            checkTime(prefix + ".lease", role.lease(), LockRequest.MIN_LEASE);
            String key = role.key();
            if (key != null && key.isBlank()) {
                throw new InvalidLockPropertyException(prefix + ".key", key, "a key that is not blank");
            }
            if (key != null) {
                LockProperties.requireLiteral(prefix + ".key", key, "key");
            }
        });
    }

    LeaderSettings toSettings() {
        Map<String, LeaderSettings.Role> settings = new HashMap<>();
        roles.forEach((name, role) -> settings.put(
                name,
                new LeaderSettings.Role(
                        Optional.ofNullable(role.key()),
                        Optional.ofNullable(role.lease()),
                        Optional.ofNullable(role.enabled()))));
        return new LeaderSettings(enabled, Optional.ofNullable(lease), Map.copyOf(settings));
    }
}
