package io.holdfast.lock.store.scan;

/**
 * A nested wait as recorded by the store. It was certainly going on, with all locks it held, from {@code sinceMicros} to
 * {@code seenMicros}; if the latter is earlier, there is no moment at which it was certainly going on.
 *
 * @param report the report of its client
 * @param sinceMicros the store's time when the wait was first reported; 0 means the time of this report
 * @param seenMicros a time of the store after which the client still saw the wait going on; 0 if there is none
 */
public record RecordedWait(WaitReport report, long sinceMicros, long seenMicros) {

    /** {@return whether it was certainly going on at the given time of the store} */
    public boolean isAt(long micros) {
        return sinceMicros <= micros && micros <= seenMicros;
    }
}
