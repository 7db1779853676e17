package io.holdfast.lock.benchmarks.contention;

/**
 * How long a run is measured, and how long it runs before that.
 *
 * @param apartMillis first of all, each process on a key of its own, where slow peers are several times as fast, so that
 *     their code is compiled too
 * @param warmUpMillis then the very work that is measured
 * @param millis what is measured
 */
public record Window(long apartMillis, long warmUpMillis, long millis) {

    /** A window with nothing but the work itself before it. */
    public Window(long warmUpMillis, long millis) {
        this(0, warmUpMillis, millis);
    }
}
