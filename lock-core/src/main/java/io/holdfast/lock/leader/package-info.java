/**
 * Leader election: of all instances of an application, at most one at a time is the leader for a role.
 *
 * <p>Start with {@link io.holdfast.lock.leader.LeaderElection}, which represents one instance, and {@link
 * io.holdfast.lock.leader.Leadership}, its view of one role. A leader is simply the holder of an ordinary lock, so all
 * guarantees of locks apply. {@code Candidate} implements a role, from start to stop, and calls its listeners, one at a time.
 *
 * <p>Uses only the public API of locks, and {@code DaemonThreads}, which creates all threads of this library.
 */
@NullMarked
package io.holdfast.lock.leader;

import org.jspecify.annotations.NullMarked;
