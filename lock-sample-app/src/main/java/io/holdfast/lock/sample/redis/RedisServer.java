package io.holdfast.lock.sample.redis;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import redis.embedded.core.ExecutableProvider;

/**
 * A redis-server on a free port that no way of ending this process leaves behind, not even {@code kill -9}.
 *
 * <p>A guardian shell starts it and waits for two things before it kills it: first the end of its own standard input,
 * whose other end only this JVM has; then the end of a named pipe, which instances that joined hold open (see
 * {@link JoinedRedis}). The operating system closes both when a process dies, however it dies. The shell opens the named
 * pipe for reading and writing and then closes the writing side again, because opening a pipe that nobody writes to
 * would block. Where there is {@code setsid}, a Ctrl-C in the terminal ends the instance, not the server under it.
 */
final class RedisServer implements Closeable {

    private static final String GUARDIAN = """
            trap '' INT HUP
            home=$1; shift
            mkfifo -m 600 "$home/alive" || exit 1
            exec 3<>"$home/alive" 4<"$home/alive" 3>&-
            "$@" </dev/null >"$home/redis.log" 2>&1 4<&- &
            server=$!
            echo $server
            cat >/dev/null
            cat <&4 >/dev/null
            kill -9 $server
            rm -rf "$home"
            """;

    private static final String OWN_SESSION =
            "if command -v setsid >/dev/null; then exec setsid sh -c \"$@\"; else exec sh -c \"$@\"; fi";
    private static final int ATTEMPTS = 5;

    private final Process guardian;
    private final RedisAddress address;

    private RedisServer(Process guardian, RedisAddress address) {
        this.guardian = guardian;
        this.address = address;
    }

    /**
     * @param directory where it may keep its files while it runs
     */
    static RedisServer start(Path directory) throws IOException {
        refuseWindows(System.getProperty("os.name"));
        for (int attempt = 1; ; attempt++) {
            try {
                return launch(directory, freePort());
            } catch (IllegalStateException portTaken) {
                if (attempt == ATTEMPTS) {
                    throw portTaken;
                }
            }
        }
    }

    static void refuseWindows(String system) {
        if (system.startsWith("Windows")) {
            throw new UnsupportedOperationException("No Redis is running, and the one bundled for Windows is 5.0,"
                    + " while Holdfast needs 6.2. Start Redis (in WSL, in a container, or on another machine) and"
                    + " specify it with"
                    + " spring.data.redis.host and spring.data.redis.port.");
        }
    }

    private static RedisServer launch(Path directory, int port) throws IOException {
        Path home = Files.createTempDirectory(directory, "redis-");
        Path binary =
                ExecutableProvider.newJarResourceProvider(home.toFile()).get().toPath();
        List<String> command = List.of(
                "sh",
                "-c",
                OWN_SESSION,
                "sh",
                GUARDIAN,
                "redis-guardian",
                home.toString(),
                binary.toString(),
                "--port",
                String.valueOf(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no");
        Process guardian = new ProcessBuilder(command).directory(home.toFile()).start();
        BufferedReader output = guardian.inputReader(StandardCharsets.UTF_8);
        String pid = output.readLine();
        if (pid == null) {
            throw new IOException("redis-server cannot be started: " + errors(guardian));
        }
        RedisServer server = new RedisServer(
                guardian,
                new RedisAddress(
                        port, Long.parseLong(pid), ProcessHandle.current().pid(), home.resolve("alive")));
        server.awaitReady(home.resolve("redis.log"));
        return server;
    }

    private void awaitReady(Path logFile) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!RedisPing.answers("127.0.0.1", address.port(), false)) {
            if (!isAlive(address.pid()) || System.nanoTime() - end > 0) {
                String reason = Files.exists(logFile) ? Files.readString(logFile) : "no output";
                close();
                throw new IllegalStateException(
                        "redis-server on port " + address.port() + " did not start:\n" + reason);
            }
            pauseBriefly();
        }
    }

    private static String errors(Process process) throws IOException {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            return reader.lines().toList().toString();
        }
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static void pauseBriefly() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while redis-server starts", e);
        }
    }

    RedisAddress address() {
        return address;
    }

    /** Gives the server up: it ends now, or with the last instance that joined it. */
    @Override
    public void close() throws IOException {
        guardian.getOutputStream().close();
        try {
            guardian.waitFor(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
