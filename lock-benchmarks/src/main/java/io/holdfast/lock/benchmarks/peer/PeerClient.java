package io.holdfast.lock.benchmarks.peer;

/** An application has one of these, with the connections and everything else that locks share. Thread-safe. */
public interface PeerClient extends AutoCloseable {

    Latch latch(String key);

    @Override
    void close();
}
