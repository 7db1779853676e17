package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockRequest;
import java.time.Duration;
import java.util.Map;

/**
 * The settings of annotated methods in the application's properties.
 *
 * @param waitFor how long to wait if nothing else specifies it
 * @param scheduled {@code holdfast.scheduled}, for methods that are scheduled
 * @param locks {@code holdfast.locks}, by the names of operations
 */
public record ConfiguredOptions(Duration waitFor, LockOptions scheduled, Map<String, LockOptions> locks) {

    LockOptions of(String name) {
        return locks.getOrDefault(name, LockOptions.NONE);
    }

    LockRequest applyTo(LockRequest request, String name, boolean isScheduled) {
        LockRequest waiting = request.waitFor(waitFor);
        return of(name).applyTo(isScheduled ? scheduled.applyTo(waiting) : waiting);
    }
}
