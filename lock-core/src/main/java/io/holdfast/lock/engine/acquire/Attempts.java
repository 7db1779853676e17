package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.engine.hold.HeldLocks;

/**
 * What all attempts of a client to acquire locks share.
 *
 * @param waits the calls that wait
 */
public record Attempts(ClientContext client, HeldLocks locks, Reentry reentry, Waits waits, EventPublisher events) {}
