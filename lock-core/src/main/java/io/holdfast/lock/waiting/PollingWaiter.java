package io.holdfast.lock.waiting;

import io.holdfast.lock.store.AcquireReply;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Waits by asking again: after the lease of the holder would end, but at the latest after 100 ms; up to a tenth
 * earlier, so that many waiters do not ask in step; never more than once in 10 ms. Thread-safe; keeps nothing between
 * calls.
 *
 * <p>The budget is one: when it ends between two tries the lock is asked for a last time, as somebody who does not wait,
 * so the store forgets the waiter in the same step. When it ends during a try, that was the last one.
 */
public final class PollingWaiter {

    private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Pause pause;

    /**
     * Creates an instance.
     *
     * @param pause how time passes between two tries
     */
    public PollingWaiter(Pause pause) {
        this.pause = pause;
    }

    /** One try. */
    @FunctionalInterface
    public interface Try {

        /**
         * {@return the store's answer}
         *
         * @param waiting whether there will be another try if this one fails
         */
        AcquireReply ask(boolean waiting);
    }

    /**
     * Tries until the lock is granted or the budget is spent.
     *
     * @param next one try
     * @param budget how long to go on
     * @param interruptible whether an interrupt ends the wait; if not, it is kept until the end
     * @return the last answer: {@code Held} means that the budget is spent
     * @throws InterruptedException if interrupted before a try or between two, and {@code interruptible}
     */
    public AcquireReply await(Try next, Budget budget, boolean interruptible) throws InterruptedException {
        boolean interrupted = false;
        try {
            while (true) {
                if (interruptible && Thread.interrupted()) {
                    throw new InterruptedException();
                }
                boolean waiting = budget.remainingNanos() > 0;
                AcquireReply reply = next.ask(waiting);
                if (!(reply instanceof AcquireReply.Held held) || budget.remainingNanos() == 0) {
                    return reply;
                }
                interrupted |= pause(pauseNanos(held, budget), interruptible);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean pause(long nanos, boolean interruptible) throws InterruptedException {
        try {
            pause.pause(nanos);
            return false;
        } catch (InterruptedException e) {
            if (interruptible) {
                throw e;
            }
            return true;
        }
    }

    private static long pauseNanos(AcquireReply.Held held, Budget budget) {
        long longest = Math.min(held.holder().remaining().toNanos(), MAX_PAUSE_NANOS);
        long jittered = longest - ThreadLocalRandom.current().nextLong(longest / 10 + 1);
        return Math.min(Math.max(jittered, MIN_PAUSE_NANOS), budget.remainingNanos());
    }
}
