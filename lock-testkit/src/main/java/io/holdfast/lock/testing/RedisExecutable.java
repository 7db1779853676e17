package io.holdfast.lock.testing;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import redis.embedded.core.ExecutableProvider;

/**
 * A redis-server as a process. It dies with this JVM, even if the JVM is killed: its guardian shell waits on a pipe that only
 * this JVM holds open. Set {@code -Dembedded.redis.executable=/path/to/redis-server} to test against a version other
 * than the bundled one.
 */
final class RedisExecutable implements RunningRedis {

    /** Prints the server's process id, and nothing else, to standard output. */
    private static final String GUARDIAN =
            "\"$@\" >/dev/null 2>&1 & server=$!; echo $server; cat >/dev/null; kill -9 $server";

    private static final File EXECUTABLE = findExecutable();

    private final Process guardian;
    private final long pid;

    private RedisExecutable(Process guardian, long pid) {
        this.guardian = guardian;
        this.pid = pid;
    }

    private static File findExecutable() {
        String given = System.getProperty(ExecutableProvider.PROPERTY_EXECUTABLE_LOCATION);
        if (given != null) {
            return new File(given);
        }
        if (System.getProperty("os.name").startsWith("Windows")) {
            throw new IllegalStateException(
                    "The bundled Redis for Windows is 5.0, but 6.2 is required: specify a server with -D"
                            + ExecutableProvider.PROPERTY_EXECUTABLE_LOCATION);
        }
        try {
            Path directory = TemporaryDirectory.create("holdfast-redis-server");
            return ExecutableProvider.newJarResourceProvider(directory.toFile()).get();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static RedisExecutable launch(Path directory, List<String> arguments, Map<String, String> environment) {
        List<String> command = new ArrayList<>(List.of("sh", "-c", GUARDIAN, "redis-guardian"));
        if (!environment.isEmpty()) {
            // For the server alone: env is replaced by the server, which keeps the process id.
            command.add("env");
            environment.forEach((name, value) -> command.add(name + "=" + value));
        }
        command.add(EXECUTABLE.getAbsolutePath());
        command.addAll(arguments);
        try {
            Process guardian = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            BufferedReader output =
                    new BufferedReader(new InputStreamReader(guardian.getInputStream(), StandardCharsets.UTF_8));
            return new RedisExecutable(
                    guardian, Long.parseLong(output.readLine().trim()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isAlive() {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    @Override
    public void pause() {
        Signals.send("STOP", pid);
    }

    @Override
    public void resume() {
        Signals.send("CONT", pid);
    }

    /** Does nothing if the server is dead: tests kill servers, and close them later. */
    @Override
    public void kill() {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        guardian.destroy();
    }
}
