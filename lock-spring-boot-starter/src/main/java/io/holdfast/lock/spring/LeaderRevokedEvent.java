package io.holdfast.lock.spring;

import io.holdfast.lock.leader.Term;

/**
 * Application event: this instance is no longer the leader for a role, because its term was lost, resigned or stopped.
 * Published on the thread of the role's listeners, which they may block. Unless the term was lost, the next leader starts
 * after the event's listeners have returned, or after 10 s.
 *
 * @param term the term that has ended
 */
public record LeaderRevokedEvent(Term term) {}
