package io.holdfast.lock.store;

/**
 * A lock that the store has granted to a waiter for a short time. It is a lease like any other; the waiter's next
 * {@link LockStore#acquire}, or a renewal, extends it to the lease that the waiter has requested.
 *
 * <p>A message may be late, so its receiver cannot know when this lease began. But it knows when it last called the store, and the store's
 * time in the reply: anything that happened later by the store's clock also happened later by the receiver's.
 *
 * @param token the fencing token; the first one if several are reserved
 * @param tokens how many tokens are reserved
 * @param waiters which callers wait behind it
 * @param atMicros when it was granted, by the store's clock, in microseconds
 * @param untilMicros when it expires unless it is confirmed, by the store's clock, in microseconds
 */
public record Reservation(long token, long tokens, Waiters waiters, long atMicros, long untilMicros) {}
