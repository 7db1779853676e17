package io.holdfast.lock.store.overview;

/**
 * A nested wait as the store has recorded it. It was certainly going on, with all that it held, from {@code sinceMicros} to
 * {@code seenMicros}; if the latter is earlier, there is no moment at which it certainly was.
 *
 * @param report what its client told
 * @param sinceMicros the store's time when it was first told of the wait; before that, if it is 0, when it got this report
 * @param seenMicros a time of the store after which the client still saw the wait going on; 0 if there is none
 */
public record RecordedWait(WaitReport report, long sinceMicros, long seenMicros) {

    /**
     * {@return the same wait with another beginning}
     *
     * @param micros when it was first told of
     */
    public RecordedWait since(long micros) {
        return new RecordedWait(report, micros, seenMicros);
    }

    /** {@return whether it was certainly going on at that time of the store} */
    public boolean isAt(long micros) {
        return sinceMicros <= micros && micros <= seenMicros;
    }
}
