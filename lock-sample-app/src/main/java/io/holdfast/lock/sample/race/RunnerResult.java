package io.holdfast.lock.sample.race;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * What one instance did in a race.
 *
 * @param failure why one of its workers stopped early; empty if none did
 */
record RunnerResult(
        String instance,
        RunnerState state,
        int sold,
        int refused,
        double meanWaitMillis,
        double maxWaitMillis,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) String failure) {}
