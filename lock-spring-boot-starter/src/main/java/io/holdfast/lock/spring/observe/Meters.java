package io.holdfast.lock.spring.observe;

/** What the meters, and the observation, are called. */
final class Meters {

    static final String ACQUIRE = "holdfast.acquire";
    static final String HOLD = "holdfast.hold";
    static final String HELD = "holdfast.held";
    static final String WAITING = "holdfast.waiting";
    static final String RENEWALS = "holdfast.renewals";
    static final String LOST = "holdfast.lost";
    static final String HAND_OFFS = "holdfast.handoffs";
    static final String WAKE_UPS = "holdfast.wakeups";
    static final String DROPPED_EVENTS = "holdfast.events.dropped";
    static final String FORCED = "holdfast.forced.releases";

    static final String LEADER = "holdfast.leadership.leader";
    static final String ELECTIONS = "holdfast.leadership.elections";
    static final String TERM = "holdfast.leadership.term";

    static final String ROLE = "role";
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
