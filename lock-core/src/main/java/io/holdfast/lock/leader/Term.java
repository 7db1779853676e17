package io.holdfast.lock.leader;

import java.time.Instant;

/**
 * The period during which one instance is the leader.
 *
 * @param role the role
 * @param fencingToken a number that is greater than that of every earlier term of this role, on any instance, see
 *     {@link io.holdfast.lock.api.LockHandle#fencingToken()}
 * @param since when it began, by the clock of this machine
 */
public record Term(String role, long fencingToken, Instant since) {}
