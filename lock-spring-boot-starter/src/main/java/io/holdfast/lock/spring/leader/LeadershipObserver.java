package io.holdfast.lock.spring.leader;

import io.holdfast.lock.leader.Leadership;

/** Hears of every role of this application, and may register listeners there. */
@FunctionalInterface
public interface LeadershipObserver {

    /**
     * A role is known from now on, and has no term yet.
     *
     * @param leadership the role
     */
    void joined(Leadership leadership);
}
