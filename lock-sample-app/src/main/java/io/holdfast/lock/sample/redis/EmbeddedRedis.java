package io.holdfast.lock.sample.redis;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.embedded.core.ExecutableProvider;

/**
 * A share in a redis-server that is common to the instances of one user on this machine, and that ends with the last of them,
 * even after {@code kill -9}. The first instance starts it, on a free port, and publishes its port and home in a file; a file
 * lock makes sure that there is only one.
 *
 * <p>A guardian shell starts the server and waits for two things before it kills it: first the end of its own standard input,
 * whose other end is held only by the JVM that started it; then the end of a named pipe, which instances that joined hold open.
 * The operating system closes both when a process dies, however it dies. The shell opens the named pipe for reading and writing
 * and then closes the writing side again, because opening a pipe that nobody writes to would block. If {@code setsid} is
 * available, Ctrl-C in the terminal ends the instance, but not the server that it started.
 *
 * @param share what keeps the server alive while it is open
 */
record EmbeddedRedis(int port, Closeable share) implements Closeable {

    private static final Logger log = LoggerFactory.getLogger(LocalRedis.class);

    private static final String GUARDIAN = """
            trap '' INT HUP
            home=$1
            mkfifo -m 600 "$home/alive" || exit 1
            exec 3<>"$home/alive" 4<"$home/alive" 3>&-
            "$2" --port "$3" --bind 127.0.0.1 --save "" --appendonly no </dev/null >"$home/redis.log" 2>&1 4<&- &
            server=$!
            echo $server
            cat >/dev/null
            cat <&4 >/dev/null
            kill -9 $server
            rm -rf "$home"
            """;

    private static final String OWN_SESSION =
            "if command -v setsid >/dev/null; then exec setsid sh -c \"$@\"; else exec sh -c \"$@\"; fi";
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final int ATTEMPTS = 5;

    /**
     * Synchronized because a file lock is held by the whole JVM, which may run several contexts.
     *
     * @param directory shared by the instances; readable only by this user, since its content is trusted
     */
    static synchronized EmbeddedRedis joinOrStart(Path directory) throws IOException {
        Files.createDirectories(directory);
        if (Files.getFileStore(directory).supportsFileAttributeView(PosixFileAttributeView.class)) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        }
        Path file = directory.resolve("redis.address");
        try (FileChannel channel = FileChannel.open(
                directory.resolve("redis.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.lock();
            EmbeddedRedis running = join(file);
            return running != null ? running : start(directory, file);
        }
    }

    /** {@return the published server, or null if there is none: a killed instance may have left the file, with any content} */
    static @Nullable EmbeddedRedis join(Path file) throws IOException {
        List<String> published = Files.exists(file) ? Files.readAllLines(file) : List.of();
        if (published.size() != 2 || !published.get(0).matches("\\d{1,5}")) {
            return null;
        }
        int port = Integer.parseInt(published.get(0));
        Path alive = Path.of(published.get(1), "alive");
        if (!Files.exists(alive)
                || !Files.readAttributes(alive, BasicFileAttributes.class).isOther()) {
            return null;
        }
        RandomAccessFile share =
                new RandomAccessFile(alive.toFile(), "rw"); // keeps the server alive; never blocks on a pipe
        if (!answers("127.0.0.1", port, false)) {
            share.close();
            return null;
        }
        log.info("Redis: joined 127.0.0.1:{}, which another instance started; found in {}", port, file);
        return new EmbeddedRedis(port, share);
    }

    private static EmbeddedRedis start(Path directory, Path file) throws IOException {
        refuseWindows(System.getProperty("os.name"));
        for (int attempt = 1; ; attempt++) {
            try {
                return launch(Files.createTempDirectory(directory, "redis-"), freePort(), file);
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
                    + " while Holdfast needs 6.2. Start Redis (in WSL, in a container, or on another machine) and set"
                    + " spring.data.redis.host and spring.data.redis.port.");
        }
    }

    private static EmbeddedRedis launch(Path home, int port, Path file) throws IOException {
        File binary = ExecutableProvider.newJarResourceProvider(home.toFile()).get();
        Process guardian = new ProcessBuilder(
                        "sh", "-c", OWN_SESSION, "sh", GUARDIAN, "guardian", "" + home, "" + binary, "" + port)
                .redirectErrorStream(true)
                .start();
        String pid = guardian.inputReader().readLine();
        if (pid == null || !pid.matches("\\d+")) {
            throw new IOException("redis-server cannot be started: " + pid);
        }
        EmbeddedRedis started = new EmbeddedRedis(port, guardian.getOutputStream());
        started.awaitReady(Long.parseLong(pid), home.resolve("redis.log"));
        Path draft = Files.write(home.resolve("published"), List.of("" + port, "" + home));
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        log.info(
                "Redis: started an embedded redis-server on 127.0.0.1:{} (pid {}). Other instances on this machine"
                        + " find it through {}; it stops with the last of them.",
                port,
                pid,
                file);
        return started;
    }

    private void awaitReady(long pid, Path logFile) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!answers("127.0.0.1", port, false)) {
            if (ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty() || System.nanoTime() - end > 0) {
                String reason = Files.exists(logFile) ? Files.readString(logFile) : "no output";
                close();
                throw new IllegalStateException("redis-server on port " + port + " did not start:\n" + reason);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** {@return whether a Redis server responds there, even if only with NOAUTH; with SSL, whether any server listens} */
    static boolean answers(String host, int port, boolean ssl) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            return ssl || "+-".indexOf(socket.getInputStream().read()) >= 0;
        } catch (IOException silent) {
            return false;
        }
    }

    /** Gives up the share: the server ends with the last share. */
    @Override
    public void close() throws IOException {
        share.close();
    }
}
