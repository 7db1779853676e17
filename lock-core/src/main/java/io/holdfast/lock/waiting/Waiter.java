package io.holdfast.lock.waiting;

/** Somebody who waits: a thread that is parked, or a task that is run again. */
@FunctionalInterface
public interface Waiter {

    /** Has it look again whether its wait is over. Called by any thread, possibly too often; must not block or throw. */
    void wake();
}
