package io.holdfast.lock.store;

import java.time.Duration;

/**
 * The callers of a client that wait in line behind one of its acquisitions, and so have no entries in the queue of the lock.
 *
 * @param number how many
 * @param longestWait how long the first caller of the line has waited: the acquisition itself, unless it holds the lock
 */
public record Followers(int number, Duration longestWait) {

    /** There are none, or nothing is known. */
    public static final Followers NONE = new Followers(0, Duration.ZERO);

    /** {@return these and others, and the longest wait of all} */
    public Followers plus(Followers others) {
        boolean longer = others.longestWait.compareTo(longestWait) > 0;
        return new Followers(number + others.number, longer ? others.longestWait : longestWait);
    }
}
