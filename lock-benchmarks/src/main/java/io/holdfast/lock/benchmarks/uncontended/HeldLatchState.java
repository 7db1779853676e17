package io.holdfast.lock.benchmarks.uncontended;

import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One thread's own lock, which it holds while it is measured. */
@State(Scope.Thread)
public class HeldLatchState extends LatchState {

    @Setup(Level.Iteration)
    public void lock() {
        latch().lock();
    }

    @TearDown(Level.Iteration)
    public void unlock() {
        latch().unlock();
    }
}
