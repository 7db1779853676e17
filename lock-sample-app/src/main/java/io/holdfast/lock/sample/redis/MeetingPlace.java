package io.holdfast.lock.sample.redis;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The directory where the instances of one user on one machine find each other's Redis. */
final class MeetingPlace {

    private static final Logger log = LoggerFactory.getLogger(MeetingPlace.class);
    /** File locks are held by the whole JVM: two contexts in one JVM need this one too. */
    private static final ReentrantLock IN_THIS_JVM = new ReentrantLock();

    private final Path directory;

    private MeetingPlace(Path directory) {
        this.directory = directory;
    }

    /** For nobody else: what is in there is trusted. Fails if the directory belongs to somebody else. */
    static MeetingPlace at(Path directory) throws IOException {
        Files.createDirectories(directory);
        if (Files.getFileStore(directory).supportsFileAttributeView(PosixFileAttributeView.class)) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        }
        return new MeetingPlace(directory);
    }

    @FunctionalInterface
    interface Visit {
        int at(MeetingPlace place) throws IOException;
    }

    int exclusively(Visit visit) throws IOException {
        IN_THIS_JVM.lock();
        try (FileChannel channel = FileChannel.open(
                        directory.resolve("redis.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock held = channel.lock()) {
            log.debug("Holding {}", held);
            return visit.at(this);
        } finally {
            IN_THIS_JVM.unlock();
        }
    }

    Path file() {
        return directory.resolve("redis.properties");
    }

    /** {@return what is published; empty too if the file makes no sense, since a killed instance may have left it} */
    Optional<RedisAddress> published() throws IOException {
        if (!Files.exists(file())) {
            return Optional.empty();
        }
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file())) {
            properties.load(reader);
            return Optional.of(RedisAddress.of(properties));
        } catch (IllegalArgumentException | NullPointerException broken) {
            log.warn("Redis: {} cannot be used ({})", file(), broken.getMessage());
            return Optional.empty();
        }
    }

    void publish(RedisAddress address) throws IOException {
        Path draft = directory.resolve("redis.properties.new");
        try (Writer writer = Files.newBufferedWriter(draft)) {
            address.toProperties().store(writer, "The embedded Redis of the Holdfast sample");
        }
        Files.move(draft, file(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
