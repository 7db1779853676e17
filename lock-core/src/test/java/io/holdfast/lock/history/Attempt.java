package io.holdfast.lock.history;

import java.util.List;

/**
 * One call to acquire a lock, and all that is recorded of the handle that it returned.
 *
 * <p>Of the answers to {@code isHeld()} two times are left. A <em>true</em> one was asked for at {@code from} and there at
 * {@code to}, so at some instant between them the handle was held. {@link #heldBy} is the end of the first true answer:
 * when it came, the handle had been held. {@link #heldStill} is the beginning of the last one: after that, the handle was
 * held. A handle that is lost or closed stays so, so it was held all the time from the one instant to the other; if it has
 * more than one true answer, that is at least from {@code heldBy} to {@code heldStill}. With only one of them, {@code
 * heldStill} comes first, and the handle is known to have been held at one instant between.
 *
 * @param hold the handle by which the same thread held the lock before; {@code handle}, if it is no reentry
 * @param limit 0 for the lock alone, otherwise how many may hold it together
 * @param returned when the call returned a handle, or {@link #NEVER}
 * @param heldBy {@link #NEVER}, if no answer was true
 * @param heldStill {@link #NEVER}, if no answer was true
 * @param heldAgain whether a true answer was asked for after a false one
 * @param ended when the call had ended, in either way; the last that is known of the process, if it did not
 * @param failures exceptions of the call, and of later ones
 */
public record Attempt(
        String process,
        long handle,
        long hold,
        String key,
        int limit,
        long invoked,
        long returned,
        long token,
        long heldBy,
        long heldStill,
        boolean heldAgain,
        boolean lost,
        long ended,
        List<String> failures) {

    public static final long NEVER = Long.MIN_VALUE;

    public Attempt {
        failures = List.copyOf(failures);
    }

    public boolean isGranted() {
        return returned != NEVER;
    }

    boolean isReentry() {
        return hold != handle;
    }

    boolean isExclusive() {
        return limit == 0;
    }

    boolean wasHeld() {
        return heldBy != NEVER;
    }

    /** Whether it was held for a while, not just at one instant. */
    boolean wasHeldForLong() {
        return wasHeld() && heldBy <= heldStill;
    }

    boolean isSameHold(Attempt other) {
        return process.equals(other.process) && hold == other.hold;
    }

    /** Whether some instant at which this was held certainly came before, or was, one at which the other was held. */
    boolean wasHeldBefore(Attempt other) {
        return wasHeld() && other.wasHeld() && heldBy <= other.heldStill;
    }

    @Override
    public String toString() {
        return process + "#" + handle + " " + key + (isExclusive() ? "" : " (limit " + limit + ")") + " token " + token
                + ", asked for at " + invoked + ", granted by " + returned + ", held by " + heldBy + " and still at "
                + heldStill + (lost ? ", lost" : "");
    }
}
