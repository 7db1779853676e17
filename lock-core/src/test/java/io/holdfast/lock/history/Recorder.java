package io.holdfast.lock.history;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Writes down what a process does with locks, in a file of its own. Thread-safe.
 *
 * <p><b>Nothing is lost when the process is killed.</b> Each event is one write to the operating system, and has reached it
 * when {@link #add} returns. Only the last line may be incomplete, if the process is killed while it writes.
 *
 * <p><b>One clock for all processes.</b> On Linux {@link System#nanoTime} is {@code CLOCK_MONOTONIC}: one clock of the
 * machine, the same for all its processes, on all cores, and it goes on while a process is stopped. So times of different
 * records can be compared. Whoever starts a process that records makes sure of it, see {@link SharedClock}.
 */
public final class Recorder implements AutoCloseable {

    private final OutputStream file;

    public Recorder(Path path) {
        try {
            file = new FileOutputStream(path.toFile(), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void add(Event event) {
        byte[] line = (event.text() + "\n").getBytes(StandardCharsets.UTF_8);
        try {
            synchronized (this) {
                file.write(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
