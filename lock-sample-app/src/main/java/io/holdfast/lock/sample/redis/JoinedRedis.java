package io.holdfast.lock.sample.redis;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/** A share in the server of another instance: it lives on while this is open, also if its starter ends. */
final class JoinedRedis implements Closeable {

    private final RedisAddress address;
    private final RandomAccessFile alive;

    private JoinedRedis(RedisAddress address, RandomAccessFile alive) {
        this.address = address;
        this.alive = alive;
    }

    /** {@return the published server, or empty if none is published or it is gone} */
    static Optional<JoinedRedis> join(MeetingPlace place) throws IOException {
        Optional<RedisAddress> published = place.published();
        if (published.isEmpty() || !isPipe(published.get().alive())) {
            return Optional.empty();
        }
        RedisAddress address = published.get();
        // The pipe first: from then on the server stays.
        JoinedRedis joined = new JoinedRedis(
                address, new RandomAccessFile(address.alive().toFile(), "rw")); // "rw" never blocks on a pipe
        if (RedisPing.answers("127.0.0.1", address.port(), false)) {
            return Optional.of(joined);
        }
        joined.close();
        return Optional.empty();
    }

    private static boolean isPipe(Path path) throws IOException {
        return Files.exists(path)
                && Files.readAttributes(path, BasicFileAttributes.class).isOther();
    }

    RedisAddress address() {
        return address;
    }

    @Override
    public void close() throws IOException {
        alive.close();
    }
}
