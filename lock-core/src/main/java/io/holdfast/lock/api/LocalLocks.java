package io.holdfast.lock.api;

import java.time.Duration;
import java.util.List;

/**
 * The locks that one client holds or is waiting for, known without a call to the store. Thread-safe; each result is a snapshot.
 */
public interface LocalLocks {

    /** {@return the locks held by threads and handles of this client, excluding lost ones} */
    List<HeldLock> held();

    /** {@return the calls from this client that are waiting for a lock} */
    List<WaitingCall> waiting();

    /** {@return how many times a waiter was notified of its lock by a message, instead of finding out by polling} */
    long wakeups();

    /** {@return how many events of this client were dropped because a {@link LockListener} took too long to return} */
    long droppedEvents();

    /** {@return the number of held locks whose renewal is overdue; they are lost if it keeps failing} */
    int lateRenewals();

    /** {@return the state of the subscription to wakeup messages; while it is down, waiters poll more often} */
    SubscriptionState subscriptionState();

    /** The state of the subscription to wakeup messages. */
    enum SubscriptionState {
        /** There is no subscription: no caller has waited yet, or the store sends no messages (a quorum). */
        NOT_NEEDED,
        /** Messages arrive. */
        CONNECTED,
        /** The connection is down; no messages arrive until it is re-established. */
        DISCONNECTED
    }

    /**
     * A lock that is held.
     *
     * @param key the lock
     * @param name the name of the request; empty if it has none
     * @param mode exclusive or shared
     * @param fencingToken the token of the grant
     * @param thread the name of the thread that acquired it
     * @param heldFor how long it has been held
     * @param remaining how long it is known to be held if no further renewal succeeds
     */
    record HeldLock(
            LockKey key,
            String name,
            LockMode mode,
            long fencingToken,
            String thread,
            Duration heldFor,
            Duration remaining) {}

    /**
     * A waiting call.
     *
     * @param key the lock that it is waiting for
     * @param name the name of the request; empty if it has none
     * @param mode exclusive or shared
     * @param thread the name of the waiting thread
     * @param waitedFor how long it has been waiting
     */
    record WaitingCall(LockKey key, String name, LockMode mode, String thread, Duration waitedFor) {}
}
