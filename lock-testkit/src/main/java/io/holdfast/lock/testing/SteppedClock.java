package io.holdfast.lock.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.opentest4j.TestAbortedException;

/**
 * The wall clock of one server, which a test can set while the server runs. A small library that is loaded before the C library
 * adds an offset to the system's time, see {@code stepped_clock.c}; it is compiled here. The server's monotonic clock, which
 * drives its event loop, is not affected. The clock starts with the machine's time.
 */
final class SteppedClock {

    private static final String SOURCE = "stepped_clock.c";

    /** Compiled once, for all clocks. */
    private static final class Library {

        private static final Optional<String> MISSING;
        private static final Path FILE;

        static {
            Path directory = TemporaryDirectory.create("holdfast-clock");
            FILE = directory.resolve("stepped_clock.so");
            MISSING = missing(directory);
        }

        private static Optional<String> missing(Path directory) {
            if (System.getProperty(RedisContainer.IMAGE_PROPERTY) != null) {
                return Optional.of("servers run in containers");
            }
            if (!System.getProperty("os.name").equals("Linux")) {
                return Optional.of("the library works only on Linux");
            }
            return List.of("cc", "gcc", "clang").stream().anyMatch(compiler -> compiles(compiler, directory))
                    ? Optional.empty()
                    : Optional.of("neither cc, gcc nor clang can compile " + SOURCE);
        }

        private static boolean compiles(String compiler, Path directory) {
            try (InputStream source = SteppedClock.class.getResourceAsStream(SOURCE)) {
                Files.write(directory.resolve(SOURCE), source.readAllBytes());
                Process process = new ProcessBuilder(
                                compiler, "-shared", "-fPIC", "-O1", "-Wall", "-o", FILE.toString(), SOURCE)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .start();
                String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                boolean compiled = process.waitFor() == 0;
                if (!compiled) {
                    System.err.println(compiler + " cannot compile " + SOURCE + ": " + output);
                }
                return compiled;
            } catch (IOException noCompiler) {
                return false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("Interrupted while compiling " + SOURCE, e);
            }
        }
    }

    private final Path file;
    private final MappedByteBuffer micros;

    private SteppedClock(Path file) {
        this.file = file;
        try {
            Files.write(file, new byte[Long.BYTES]);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                this.micros = channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        micros.order(ByteOrder.nativeOrder());
    }

    /** Creates one, or skips the test if the library is not available here. */
    static SteppedClock createOrSkip(Path directory) {
        Library.MISSING.ifPresent(reason -> {
            throw skipped(reason);
        });
        return new SteppedClock(directory.resolve("clock"));
    }

    private static TestAbortedException skipped(String reason) {
        String message = "SKIPPED: servers with stepped clocks, because " + reason;
        System.err.println(message);
        return new TestAbortedException(message);
    }

    /** Whether tests with such clocks can run here. */
    static boolean isAvailable() {
        return Library.MISSING.isEmpty();
    }

    /** The variables for the server's process. */
    Map<String, String> environment() {
        return Map.of("LD_PRELOAD", Library.FILE.toString(), "HOLDFAST_CLOCK", file.toString());
    }

    /** Sets it forward, or back; the server sees that the next time it reads the clock. */
    void step(Duration by) {
        micros.putLong(0, micros.getLong(0) + TimeUnit.NANOSECONDS.toMicros(by.toNanos()));
    }

    /** How far it is ahead of this machine's clock. */
    Duration offset() {
        return Duration.of(micros.getLong(0), ChronoUnit.MICROS);
    }
}
