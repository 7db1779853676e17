package io.holdfast.lock.store;

/**
 * A lock that the store has granted to a waiter for a short time. It is a lease like any other; the waiter's next
 * {@link LockStore#acquire}, or a renewal, makes it as long as it asked for.
 *
 * <p>A message may be late, so its receiver cannot know when this lease began. But it knows when it asked the store last,
 * and was answered with the store's clock: what came after that on the store's clock, came after that on its own.
 *
 * @param token the fencing token, the first of those that are reserved
 * @param tokens how many are reserved
 * @param waiters who waits behind it
 * @param atMicros when it was granted, on the store's clock, in microseconds
 * @param untilMicros when it ends unless it is confirmed, on the store's clock, in microseconds
 */
public record Reservation(long token, long tokens, Waiters waiters, long atMicros, long untilMicros) {}
