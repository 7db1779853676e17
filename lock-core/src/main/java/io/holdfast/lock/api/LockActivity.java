package io.holdfast.lock.api;

import java.time.Duration;
import java.util.List;

/**
 * What one client does with locks now, by its own books: nothing here asks the store. Any thread may ask; an answer is a
 * moment's view, and the next call may differ.
 */
public interface LockActivity {

    /** {@return the locks that threads and handles of this client hold; not those that are lost} */
    List<Hold> held();

    /** {@return the calls of this client that wait for a lock} */
    List<Wait> waiting();

    /** {@return how often a message of the store, rather than asking again, told a waiter that a lock is its own} */
    long wakeUps();

    /** {@return how many held locks should have been renewed by now, and could not be; they will be lost if that goes on} */
    int lateRenewals();

    /** {@return whether messages of the store arrive; without them, those who wait ask more often} */
    Hearing hearing();

    /** Whether messages of the store arrive. */
    enum Hearing {
        /** Nobody has waited yet, so nobody listens. */
        NOT_NEEDED,
        /** They do. */
        CONNECTED,
        /** They do not, until the store has been connected to again. */
        DISCONNECTED
    }

    /**
     * A lock that is held.
     *
     * @param key the lock
     * @param name what its use is called; empty for none
     * @param mode alone, or together with others
     * @param fencingToken the token of the grant
     * @param thread the name of the thread that acquired it
     * @param held since when
     * @param remaining how long it is certainly held even if no renewal succeeds any more
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
     * A call that waits.
     *
     * @param key what it waits for
     * @param name what its use is called; empty for none
     * @param mode alone, or together with others
     * @param thread the name of the thread that waits
     * @param waited since when
     */
    record Wait(LockKey key, String name, LockMode mode, String thread, Duration waited) {}
}
