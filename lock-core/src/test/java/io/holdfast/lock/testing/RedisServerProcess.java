package io.holdfast.lock.testing;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import redis.embedded.core.ExecutableProvider;

/**
 * A real redis-server on a free port, without persistence, in a directory of its own. It dies with this JVM, also if that
 * is killed: its guardian shell waits on a pipe that only this JVM holds open. Set
 * {@code -Dembedded.redis.executable=/path/to/redis-server} to test against another version than the bundled one.
 */
public final class RedisServerProcess implements AutoCloseable {

    /** Its standard output says the server's process id, and nothing else. */
    private static final String GUARDIAN =
            "\"$@\" >/dev/null 2>&1 & server=$!; echo $server; cat >/dev/null; kill -9 $server";

    private static final File EXECUTABLE = findExecutable();

    private static final int ATTEMPTS = 5;

    private final Path directory = TemporaryDirectory.create("holdfast-redis");
    private final IntFunction<List<String>> extraArguments;
    private int port;
    private Process guardian;
    private long pid;

    private RedisServerProcess(IntFunction<List<String>> extraArguments) {
        this.extraArguments = extraArguments;
    }

    public static RedisServerProcess start(String... extraArguments) {
        return start(port -> List.of(extraArguments));
    }

    /**
     * Starts a server on a port from {@link FreePorts}.
     *
     * @param extraArguments gives them for that port; if the first one is not an option, it is a configuration file
     */
    static RedisServerProcess start(IntFunction<List<String>> extraArguments) {
        RedisServerProcess server = new RedisServerProcess(extraArguments);
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

    private static File findExecutable() {
        String given = System.getProperty(ExecutableProvider.PROPERTY_EXECUTABLE_LOCATION);
        if (given != null) {
            return new File(given);
        }
        if (System.getProperty("os.name").startsWith("Windows")) {
            throw new IllegalStateException("The bundled Redis for Windows is 5.0, and 6.2 is needed: name a server"
                    + " with -D" + ExecutableProvider.PROPERTY_EXECUTABLE_LOCATION);
        }
        try {
            Path directory = TemporaryDirectory.create("holdfast-redis-server");
            return ExecutableProvider.newJarResourceProvider(directory.toFile()).get();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void launch() {
        try {
            guardian = new ProcessBuilder(command())
                    .directory(directory.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            BufferedReader output =
                    new BufferedReader(new InputStreamReader(guardian.getInputStream(), StandardCharsets.UTF_8));
            pid = Long.parseLong(output.readLine().trim());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitReady();
    }

    private List<String> command() {
        List<String> extra = new ArrayList<>(extraArguments.apply(port));
        List<String> command = new ArrayList<>(List.of("sh", "-c", GUARDIAN, "redis-guardian"));
        command.add(EXECUTABLE.getAbsolutePath());
        if (!extra.isEmpty() && !extra.get(0).startsWith("--")) {
            command.add(extra.remove(0));
        }
        command.addAll(List.of("--port", String.valueOf(port), "--bind", "127.0.0.1"));
        command.addAll(List.of("--save", "", "--appendonly", "no"));
        command.addAll(extra);
        return command;
    }

    private void awaitReady() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (System.nanoTime() - end < 0) {
            if (!ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)) {
                guardian.destroy();
                throw new IllegalStateException("redis-server ended at start; is port " + port + " taken?");
            }
            if (answersPing()) {
                return;
            }
            pauseBriefly();
        }
        throw new IllegalStateException("redis-server on port " + port + " does not answer");
    }

    private boolean answersPing() {
        try (Socket socket = new Socket("127.0.0.1", port)) {
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

    /** Stops the process without its noticing: it hangs, and its connections stay open. */
    public void pause() {
        signal("STOP");
    }

    public void resume() {
        signal("CONT");
    }

    /** Kills the server; a {@link #startAgain()} comes up on the same port, empty. */
    public void kill() {
        signal("KILL");
        ProcessHandle.of(pid).ifPresent(process -> process.onExit().join());
        guardian.destroy();
    }

    public void startAgain() {
        launch();
    }

    private void signal(String name) {
        Signals.send(name, pid);
    }

    @Override
    public void close() {
        signal("KILL");
        guardian.destroy();
        TemporaryDirectory.delete(directory);
    }

    private static void pauseBriefly() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while starting redis-server", e);
        }
    }
}
