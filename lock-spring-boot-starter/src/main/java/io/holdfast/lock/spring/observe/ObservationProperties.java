package io.holdfast.lock.spring.observe;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Observations of acquisitions.
 *
 * @param enabled Whether acquisitions are observed, and so appear in traces.
 * @param includeKey Whether the key of the lock is a high-cardinality key value of the observation.
 */
@ConfigurationProperties("lock.observations")
record ObservationProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("false") boolean includeKey) {}
