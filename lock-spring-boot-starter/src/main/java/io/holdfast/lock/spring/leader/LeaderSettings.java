package io.holdfast.lock.spring.leader;

import io.holdfast.lock.api.LockRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * What the application's properties say of roles.
 *
 * @param enabled whether this instance is a candidate, where a role does not say it
 * @param lease the lease of roles that have none; empty for that of all locks
 * @param roles by their names
 */
public record LeaderSettings(boolean enabled, Optional<Duration> lease, Map<String, Role> roles) {

    private static final Role NONE = new Role(Optional.empty(), Optional.empty(), Optional.empty());

    /**
     * One role; empty where the properties say nothing.
     *
     * @param key of its lock
     * @param lease of its lock
     * @param enabled whether this instance is a candidate
     */
    public record Role(Optional<String> key, Optional<Duration> lease, Optional<Boolean> enabled) {}

    boolean isEnabled(String role) {
        return of(role).enabled().orElse(enabled);
    }

    LockRequest request(String role) {
        LockRequest request = LockRequest.of(of(role).key().orElse("leader:" + role));
        return of(role).lease().or(this::lease).map(request::lease).orElse(request);
    }

    private Role of(String role) {
        return roles.getOrDefault(role, NONE);
    }
}
