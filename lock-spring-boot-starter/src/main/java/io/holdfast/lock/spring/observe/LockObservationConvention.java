package io.holdfast.lock.spring.observe;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * What the observation of an acquisition is called, and its key values. A bean of this type takes the place of the
 * starter's.
 *
 * <p>Key values that are not few belong to {@link #getHighCardinalityKeyValues}, as those of a lock's key do.
 */
public interface LockObservationConvention extends ObservationConvention<LockObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof LockObservationContext;
    }
}
