package io.holdfast.lock.spring.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * The name and the key values of the observation of an acquisition. A bean of this type replaces the starter's, and
 * precedes a {@link io.micrometer.observation.GlobalObservationConvention}.
 *
 * <p>Key values with many different values, such as the key of the lock, belong in {@link #getHighCardinalityKeyValues}.
 */
public interface LockObservationConvention extends ObservationConvention<LockObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof LockObservationContext;
    }
}
