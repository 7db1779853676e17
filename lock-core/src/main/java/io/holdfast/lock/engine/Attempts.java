package io.holdfast.lock.engine;

/**
 * What all attempts of a client to get a lock have in common.
 *
 * @param waits the calls that wait
 */
record Attempts(
        ClientContext client,
        ThreadHolds holds,
        Lifecycle lifecycle,
        Grants grants,
        Reentry reentry,
        Waits waits,
        EventPublisher events) {}
