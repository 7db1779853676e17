package io.holdfast.lock.leader;

import java.time.Instant;

/**
 * The time during which one instance leads.
 *
 * @param role what it leads
 * @param fencingToken a number that is greater than that of every earlier term of this role, of any instance, see
 *     {@link io.holdfast.lock.api.LockHandle#fencingToken()}
 * @param since when it began, by the clock of this machine
 */
public record Term(String role, long fencingToken, Instant since) {}
