package io.holdfast.lock.testing;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Another JVM on this one's class path, which is told what to do by its standard input, and ends with that. */
public final class WorkerProcess implements AutoCloseable {

    /** No worker says that. */
    private static final String ENDED = "";

    private final Process process;
    private final BlockingQueue<String> output = new LinkedBlockingQueue<>();
    private final BufferedWriter input;

    private WorkerProcess(Process process) {
        this.process = process;
        this.input = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
        Thread reader = new Thread(this::readOutput, "worker-output");
        reader.setDaemon(true);
        reader.start();
    }

    private void readOutput() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            lines.lines().forEach(output::add);
        } catch (IOException | UncheckedIOException killed) {
            output.add(ENDED);
        }
        output.add(ENDED);
    }

    /**
     * Starts a JVM.
     *
     * @param main what it runs; it should end when its standard input ends, so that it never outlives this JVM
     */
    public static WorkerProcess start(Class<?> main, String... arguments) throws IOException {
        return start(List.of(), System.getProperty("java.class.path"), main, arguments);
    }

    /**
     * The same by another command, on another class path.
     *
     * @param by what runs the command of the JVM, for example as another user
     */
    public static WorkerProcess start(List<String> by, String classPath, Class<?> main, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(by);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", // as in the JVMs of the tests: it starts in less time
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xlog:disable", // its output belongs to the worker
                "-Xmx128m",
                "-Dlogback.configurationFile=quiet-logback.xml",
                "-cp",
                classPath,
                main.getName()));
        command.addAll(List.of(arguments));
        return new WorkerProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Whether it still stands still after a {@code STOP}; true if that cannot be known, see {@link Signals}. */
    public boolean isStopped() {
        return Signals.isStopped(pid());
    }

    /** Waits for minutes at most. */
    public String nextLine() throws IOException, InterruptedException {
        String line = output.poll(5, TimeUnit.MINUTES);
        if (line == null) {
            throw new IOException("The worker says nothing; it is " + (isAlive() ? "alive" : "dead"));
        }
        if (line.equals(ENDED)) {
            throw new IOException("The worker ended without a word");
        }
        return line;
    }

    /** What it has said since it was asked last; does not wait. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        output.drainTo(lines);
        lines.remove(ENDED);
        return lines;
    }

    public void send(String line) throws IOException {
        input.write(line + "\n");
        input.flush();
    }

    public void signal(String name) {
        Signals.send(name, pid());
    }

    /** Like kill -9: it gets no chance to tidy up. */
    public void kill() throws InterruptedException {
        process.toHandle().destroyForcibly(); // that of a Process closes its output, with lines that have not been read
        process.waitFor();
    }

    @Override
    public void close() throws Exception {
        kill();
    }
}
