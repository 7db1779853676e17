package io.holdfast.lock.spring.observe;

import io.holdfast.lock.leader.Term;

/**
 * Application event: this instance has become the leader in a role. Published on the thread of the role's listeners, which may
 * block, and before the {@link LeaderRevokedEvent} of the same term.
 *
 * @param term the term that begins
 */
public record LeaderElectedEvent(Term term) {}
