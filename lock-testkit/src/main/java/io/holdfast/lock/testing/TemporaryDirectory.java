package io.holdfast.lock.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Directories for the files of servers, deleted when this JVM ends, if not before. */
final class TemporaryDirectory {

    private static final Set<Path> CREATED = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> CREATED.forEach(TemporaryDirectory::delete)));
    }

    private TemporaryDirectory() {}

    static Path create(String prefix) {
        try {
            Path directory = Files.createTempDirectory(prefix);
            CREATED.add(directory);
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Deletes as much as a server that has not exited yet allows. */
    static void delete(Path directory) {
        CREATED.remove(directory);
        File[] files = directory.toFile().listFiles();
        for (File file : files == null ? new File[0] : files) {
            file.delete();
        }
        directory.toFile().delete();
    }
}
