package io.holdfast.lock.waiting;

import io.holdfast.lock.threads.Pause;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Has the current thread wait for what is looked at, as the engine does. */
final class Parked {

    enum Outcome {
        FRONT,
        HANDED_OFF,
        TIMED_OUT
    }

    private interface Look {
        long nanos();
    }

    private interface Cancel {
        boolean isOver();
    }

    private Parked() {}

    /** Unparks the current thread. */
    static Runnable currentThread() {
        Thread thread = Thread.currentThread();
        return () -> LockSupport.unpark(thread);
    }

    static Outcome await(LocalQueue.Place turn, Budget budget, Pause pause, boolean interruptible)
            throws InterruptedException {
        await(() -> turn.look(budget), turn::cancel, pause, interruptible);
        if (turn.isOver()) {
            return Outcome.TIMED_OUT;
        }
        return turn.isFront() ? Outcome.FRONT : Outcome.HANDED_OFF;
    }

    static void await(QueueEntry entry, Budget budget, Pause pause, boolean interruptible) throws InterruptedException {
        entry.wakes(Parked.currentThread());
        try {
            await(() -> entry.look(budget), () -> true, pause, interruptible);
        } finally {
            entry.wakes(QueueEntry.NOBODY);
        }
    }

    /** Returns whether it is to ask. */
    static boolean await(
            Outages.Turn place, Budget budget, Supplier<@Nullable Failing> failing, Pause pause, boolean interruptible)
            throws InterruptedException {
        await(() -> place.look(budget, failing.get()), () -> true, pause, interruptible);
        return budget.remainingNanos(failing.get()) > 0;
    }

    private static void await(Look look, Cancel cancel, Pause pause, boolean interruptible)
            throws InterruptedException {
        boolean interrupted = false;
        try {
            for (long left = look.nanos(); left > 0; left = look.nanos()) {
                try {
                    pause.pause(left);
                } catch (InterruptedException e) {
                    if (interruptible && cancel.isOver()) {
                        throw e;
                    }
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
