package io.holdfast.lock.spring.observe;

/** What the meters, and the observation, are called. */
final class Meters {

    static final String ACQUIRE = "lock.acquire";
    static final String HOLD = "lock.hold";
    static final String HELD = "lock.held";
    static final String WAITING = "lock.waiting";
    static final String RENEWALS = "lock.renewals";
    static final String LOST = "lock.lost";
    static final String HAND_OFFS = "lock.handoffs";
    static final String WAKE_UPS = "lock.wakeups";
    static final String FORCED = "lock.forced.releases";

    static final String NAME = "name";
    static final String OUTCOME = "outcome";
    static final String CAUSE = "cause";
    static final String ERROR = "error";

    /** The value of a tag that has none: dimensions of one meter are always the same. */
    static final String NONE = "none";

    static final String ACQUIRED = "acquired";
    static final String NOT_ACQUIRED = "not_acquired";
    static final String FAILED = "failed";

    private Meters() {}
}
