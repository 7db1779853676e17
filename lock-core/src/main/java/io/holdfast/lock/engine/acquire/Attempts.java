package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.engine.hold.Lifecycle;
import io.holdfast.lock.engine.hold.ThreadHolds;

/**
 * What all attempts of a client to acquire locks share.
 *
 * @param waits the calls that wait
 */
public record Attempts(
        ClientContext client,
        ThreadHolds holds,
        Lifecycle lifecycle,
        Grants grants,
        Reentry reentry,
        Waits waits,
        EventPublisher events) {}
