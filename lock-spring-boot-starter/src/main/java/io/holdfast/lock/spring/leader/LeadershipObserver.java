package io.holdfast.lock.spring.leader;

import io.holdfast.lock.leader.Leadership;

/** Is notified of every role in which this instance is a candidate, and may register listeners there. */
@FunctionalInterface
public interface LeadershipObserver {

    /**
     * A role has become known, and has no term yet.
     *
     * @param leadership the role
     */
    void joined(Leadership leadership);
}
