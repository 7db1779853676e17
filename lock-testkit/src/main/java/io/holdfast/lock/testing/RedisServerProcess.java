package io.holdfast.lock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** A real redis-server on a free port, without persistence, in its own directory. It dies with this JVM. */
public final class RedisServerProcess implements AutoCloseable {

    private static final int ATTEMPTS = 5;

    /** Messages that a server or a sentinel logs once it is listening. */
    private static final List<String> LISTENS = List.of("Ready to accept connections", "Sentinel ID is");

    private final Path directory = TemporaryDirectory.create("holdfast-redis");
    private final Path log = directory.resolve("redis.log");
    private final IntFunction<List<String>> extraArguments;
    private final @Nullable SteppedClock clock;
    private int port;

    @SuppressWarnings("NullAway.Init") // a server that does not start is not returned
    private RunningRedis running;

    private RedisServerProcess(boolean steppable, IntFunction<List<String>> extraArguments) {
        this.extraArguments = extraArguments;
        this.clock = steppable ? SteppedClock.createOrSkip(directory) : null;
    }

    public static RedisServerProcess start(String... extraArguments) {
        return start(port -> List.of(extraArguments));
    }

    /**
     * Starts a server on a port from {@link FreePorts}.
     *
     * @param extraArguments returns the arguments for that port; if the first one is not an option, it is a configuration file
     */
    static RedisServerProcess start(IntFunction<List<String>> extraArguments) {
        return start(false, extraArguments);
    }

    /**
     * Starts a server whose wall clock the test can {@linkplain #step set}, or skips the test if there is no C compiler for that.
     */
    public static RedisServerProcess startSteppable(String... extraArguments) {
        return start(true, port -> List.of(extraArguments));
    }

    /** Whether tests with {@linkplain #startSteppable such servers} can run here. */
    public static boolean isSteppable() {
        return SteppedClock.isAvailable();
    }

    static RedisServerProcess start(boolean steppable, IntFunction<List<String>> extraArguments) {
        RedisServerProcess server = new RedisServerProcess(steppable, extraArguments);
        for (int attempt = 1; ; attempt++) {
            server.port = FreePorts.next();
            try {
                server.launch();
                return server;
            } catch (IllegalStateException portTaken) {
                if (attempt == ATTEMPTS) {
                    throw portTaken;
                }
            }
        }
    }

    private void launch() {
        deleteLog();
        running = RunningRedis.launch(directory, arguments(), clock == null ? Map.of() : clock.environment());
        awaitReady();
    }

    private List<String> arguments() {
        List<String> extra = new ArrayList<>(extraArguments.apply(port));
        List<String> arguments = new ArrayList<>();
        if (!extra.isEmpty() && !extra.get(0).startsWith("--")) {
            arguments.add(extra.remove(0));
        }
        arguments.addAll(List.of("--port", String.valueOf(port), "--bind", "127.0.0.1"));
        arguments.addAll(List.of("--save", "", "--appendonly", "no", "--logfile", log.toString()));
        arguments.addAll(extra);
        return arguments;
    }

    private void awaitReady() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (System.nanoTime() - end < 0) {
            if (!running.isAlive()) {
                running.kill();
                throw new IllegalStateException("redis-server exited on startup; is port " + port + " taken? " + log());
            }
            if (listens() && answersPing()) {
                return;
            }
            pauseBriefly();
        }
        throw new IllegalStateException("redis-server on port " + port + " does not respond: " + log());
    }

    /** A reply alone proves nothing: if the port was taken in the meantime, another server replies until this one has exited. */
    private boolean listens() {
        String logged = log();
        return LISTENS.stream().anyMatch(logged::contains);
    }

    private String log() {
        try {
            return Files.exists(log) ? Files.readString(log, StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void deleteLog() {
        try {
            Files.deleteIfExists(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean answersPing() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(1000);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            return socket.getInputStream().read() >= 0;
        } catch (IOException notYet) {
            return false;
        }
    }

    public int port() {
        return port;
    }

    /** Sets the server's wall clock forward or back, while it runs or before it is started again. */
    public void step(Duration by) {
        clock().step(by);
    }

    /** How far the server's wall clock is ahead of this machine's. */
    public Duration clockOffset() {
        return clock().offset();
    }

    private SteppedClock clock() {
        return Objects.requireNonNull(clock, "The clock of this server cannot be stepped: use startSteppable");
    }

    /** Suspends the process, which does not notice that: it hangs, and its connections stay open. */
    public void pause() {
        running.pause();
    }

    public void resume() {
        running.resume();
    }

    /** Kills the server; {@link #startAgain()} brings it up on the same port, empty. */
    public void kill() {
        running.kill();
        while (running.isAlive()) {
            pauseBriefly();
        }
    }

    public void startAgain() {
        launch();
    }

    @Override
    public void close() {
        running.kill();
        TemporaryDirectory.delete(directory);
    }

    private static void pauseBriefly() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for redis-server", e);
        }
    }
}
