package io.holdfast.lock.spring;

import io.holdfast.lock.leader.Term;

/**
 * Application event: this instance has become the leader for a role. Published on the thread of the role's listeners, which
 * they may block, before the {@link LeaderRevokedEvent} of the same term.
 *
 * @param term the term that begins
 */
public record LeaderElectedEvent(Term term) {}
