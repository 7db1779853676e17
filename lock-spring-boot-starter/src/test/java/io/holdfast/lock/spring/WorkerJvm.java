package io.holdfast.lock.spring;

import io.holdfast.lock.testing.Signals;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Another JVM on this one's class path, which says what it does, and ends with its standard input. */
public final class WorkerJvm implements AutoCloseable {

    private final Process process;
    private final Thread reader;

    private WorkerJvm(Process process, Thread reader) {
        this.process = process;
        this.reader = reader;
    }

    /**
     * Starts a JVM.
     *
     * @param listener is given each line that it says, on a thread of its own
     * @param main what it runs, until {@link #awaitEndOfInput} returns
     */
    public static WorkerJvm start(Consumer<String> listener, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", // as in the JVMs of the tests: it starts in less time
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Thread reader = new Thread(() -> read(process, listener), "worker-output");
        reader.setDaemon(true);
        reader.start();
        return new WorkerJvm(process, reader);
    }

    private static void read(Process process, Consumer<String> listener) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            lines.lines().forEach(listener);
        } catch (IOException | UncheckedIOException killed) {
            // it says no more
        }
    }

    /** For the other JVM: says a line. */
    @SuppressWarnings("SystemOut")
    public static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    /** For the other JVM: returns when its standard input has ended. */
    public static void awaitEndOfInput() {
        try {
            while (System.in.read() >= 0) {}
        } catch (IOException ended) {
            // as well
        }
    }

    public void signal(String name) {
        Signals.send(name, process.pid());
    }

    /** Like kill -9: it gets no chance to tidy up. The listener has been given what it had said. */
    public void kill() throws InterruptedException {
        process.toHandle().destroyForcibly(); // that of a Process closes its output, with lines that have not been read
        process.waitFor();
        reader.join();
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
