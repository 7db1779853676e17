package io.holdfast.lock.benchmarks.peer;

/** The part of which an application has one: connections and everything that locks share. Thread-safe. */
public interface LockClient extends AutoCloseable {

    Latch latch(String key);

    @Override
    void close();
}
