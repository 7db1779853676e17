package io.holdfast.lock.api;

import java.time.Duration;
import java.util.List;

/**
 * The locks that one client holds and waits for, without a call to the store. Thread-safe; each result is a snapshot.
 */
public interface LockActivity {

    /** {@return the locks held by threads and handles of this client, without lost ones} */
    List<Hold> held();

    /** {@return the calls of this client that are waiting for a lock} */
    List<Wait> waiting();

    /** {@return how often a message of the store, rather than polling, notified a waiter that it has the lock} */
    long wakeUps();

    /** {@return the number of held locks whose renewal is overdue; they are lost if it keeps failing} */
    int lateRenewals();

    /** {@return the state of the subscription to wake-up messages; while it is down, waiters poll more often} */
    SubscriptionState subscriptionState();

    /** The state of the subscription to wake-up messages. */
    enum SubscriptionState {
        /** There is none yet, because nobody has waited. */
        NOT_NEEDED,
        /** Messages arrive. */
        CONNECTED,
        /** Messages do not arrive until the connection is re-established. */
        DISCONNECTED
    }

    /**
     * A lock that is held.
     *
     * @param key the lock
     * @param name the name of its use; empty for none
     * @param mode exclusive or shared
     * @param fencingToken the token of the grant
     * @param thread the name of the thread that acquired it
     * @param held for how long it has been held
     * @param remaining for how long it is certainly still held if no further renewal succeeds
     */
    record Hold(
            LockKey key,
            String name,
            LockMode mode,
            long fencingToken,
            String thread,
            Duration held,
            Duration remaining) {}

    /**
     * A waiting call.
     *
     * @param key what it waits for
     * @param name the name of its use; empty for none
     * @param mode exclusive or shared
     * @param thread the name of the thread that waits
     * @param waited for how long it has been waiting
     */
    record Wait(LockKey key, String name, LockMode mode, String thread, Duration waited) {}
}
