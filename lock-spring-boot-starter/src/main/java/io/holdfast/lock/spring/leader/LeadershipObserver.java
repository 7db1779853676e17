package io.holdfast.lock.spring.leader;

import io.holdfast.lock.leader.Leadership;

/** Is notified of every role in which this instance is a candidate, and may register listeners there. */
@FunctionalInterface
public interface LeadershipObserver {

    /**
     * Called when this instance joins a role, before its first term.
     *
     * @param leadership the role
     */
    void joined(Leadership leadership);
}
