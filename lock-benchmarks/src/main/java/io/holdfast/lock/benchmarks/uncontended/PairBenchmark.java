package io.holdfast.lock.benchmarks.uncontended;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/** Lock and unlock, each thread with its own key. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class PairBenchmark {

    @Benchmark
    public void pair(LatchState own) {
        own.latch().lock();
        own.latch().unlock();
    }

    @Benchmark
    public void reentrantPair(HeldLatchState own) {
        own.latch().lock();
        own.latch().unlock();
    }
}
