package io.holdfast.lock.testing;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import redis.embedded.core.ExecutableProvider;

/**
 * A real redis-server on a free port, without persistence. It dies with this JVM, also if that is killed: its guardian
 * shell waits on a pipe that only this JVM holds open. Set {@code -Dembedded.redis.executable=/path/to/redis-server} to
 * test against another version than the bundled one.
 */
public final class RedisServerProcess implements AutoCloseable {

    /** Its standard output says the server's process id, and nothing else. */
    private static final String GUARDIAN =
            "\"$@\" >/dev/null 2>&1 & server=$!; echo $server; cat >/dev/null; kill -9 $server";

    private static final File EXECUTABLE = findExecutable();

    private final List<String> extraArguments;
    private int port;
    private Process guardian;
    private long pid;

    private RedisServerProcess(List<String> extraArguments) {
        this.extraArguments = extraArguments;
    }

    public static RedisServerProcess start(String... extraArguments) {
        RedisServerProcess server = new RedisServerProcess(List.of(extraArguments));
        for (int attempt = 1; ; attempt++) {
            server.port = freePort();
            try {
                server.launch();
                return server;
            } catch (IllegalStateException portTaken) {
                if (attempt == 5) {
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
            Path directory = Files.createTempDirectory("holdfast-redis");
            File binary = ExecutableProvider.newJarResourceProvider(directory.toFile())
                    .get();
            binary.deleteOnExit();
            directory.toFile().deleteOnExit();
            return binary;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void launch() {
        List<String> command = new ArrayList<>(List.of("sh", "-c", GUARDIAN, "redis-guardian"));
        command.addAll(List.of(EXECUTABLE.getPath(), "--port", String.valueOf(port), "--bind", "127.0.0.1"));
        command.addAll(List.of("--save", "", "--appendonly", "no"));
        command.addAll(extraArguments);
        try {
            guardian = new ProcessBuilder(command)
                    .directory(EXECUTABLE.getAbsoluteFile().getParentFile())
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
        kill();
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
