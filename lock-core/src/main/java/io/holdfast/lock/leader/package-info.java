/**
 * Leadership: of all instances of an application, one at a time leads in a role.
 *
 * <p>Start with {@link io.holdfast.lock.leader.LeaderElection}, which stands for one instance, and
 * {@link io.holdfast.lock.leader.Leadership}, which is what it knows of one role. A leader is nothing but the holder of an ordinary
 * lock, so all promises of locks hold for it. {@code Candidate} is the role, {@code Candidacy} what happens in it from start to
 * stop, and {@code HeldTerm} the lock while it is held; {@code Announcer} calls the listeners, one at a time.
 *
 * <p>Uses the public API of locks only, and {@code DaemonThreads}, where all threads of this library are made.
 */
@NullMarked
package io.holdfast.lock.leader;

import org.jspecify.annotations.NullMarked;
