package io.holdfast.lock.spring.leader;

import io.holdfast.lock.api.LockRequest;
import java.util.Map;

/** What the application's properties specify for roles. */
public interface LeaderSettings {

    /** {@return the roles that have settings, by their names} */
    Map<String, ?> roles();

    /**
     * {@return whether this instance is a candidate}
     *
     * @param role a role, with or without settings
     */
    boolean isEnabled(String role);

    /**
     * {@return what to lock}
     *
     * @param role a role, with or without settings
     */
    LockRequest request(String role);
}
