package io.holdfast.lock.benchmarks.contention;

/**
 * How long a run is measured, and how long it runs before that.
 *
 * @param apartMillis at first, each process on its own key, where slow peers are several times as fast, so that their code is compiled, too
 * @param warmUpMillis then the same work as is measured
 * @param millis finally, the time that is measured
 */
public record Window(long apartMillis, long warmUpMillis, long millis) {

    /** A window preceded by nothing but the work itself. */
    public Window(long warmUpMillis, long millis) {
        this(0, warmUpMillis, millis);
    }
}
