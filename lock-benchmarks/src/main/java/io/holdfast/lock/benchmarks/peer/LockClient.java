package io.holdfast.lock.benchmarks.peer;

/** What an application has one of: connections and all that locks share. Thread-safe. */
public interface LockClient extends AutoCloseable {

    Latch latch(String key);

    @Override
    void close();
}
