package io.holdfast.lock.sample.race;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;

/** The outcome of a race, or its current state. */
record RaceResult(@JsonUnwrapped Race race, List<Runner> instances) {

    boolean isSound() {
        return race.sold() == race.items() && race.stockLeft() == 0;
    }

    /**
     * What one instance did in a race.
     *
     * @param state RUNNING, DONE, or GONE if it did not respond; its sales still count
     * @param failure why one of its workers stopped early; empty if none did
     */
    record Runner(
            String instance,
            String state,
            int sold,
            int refused,
            double meanWaitMillis,
            double maxWaitMillis,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) String failure) {}
}
