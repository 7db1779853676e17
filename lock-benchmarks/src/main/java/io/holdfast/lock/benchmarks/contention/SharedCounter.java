package io.holdfast.lock.benchmarks.contention;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A number in a file that processes map into their memory. It is read at the beginning of a critical section and written at its end. That
 * is not atomic, so if two threads hold the lock at the same time, an increment is lost.
 */
final class SharedCounter {

    private final MappedByteBuffer memory;

    SharedCounter(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            this.memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
        }
    }

    long get() {
        return memory.getLong(0);
    }

    void set(long value) {
        memory.putLong(0, value);
    }
}
