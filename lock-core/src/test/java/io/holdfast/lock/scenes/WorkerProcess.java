package io.holdfast.lock.scenes;

import io.holdfast.lock.testing.Signals;
import io.holdfast.lock.testing.TestRedis;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another JVM that runs {@link Worker}; it ends when this one closes its pipe, or dies. */
final class WorkerProcess implements AutoCloseable {

    private final Process process;
    private final BufferedReader output;
    private final BufferedWriter input;

    private WorkerProcess(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        this.input = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    }

    static WorkerProcess start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-Xmx128m",
                "-Dlogback.configurationFile=quiet-logback.xml",
                "-cp",
                System.getProperty("java.class.path"),
                Worker.class.getName(),
                String.valueOf(TestRedis.shared().port())));
        command.addAll(List.of(arguments));
        return new WorkerProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    String nextLine() throws IOException {
        String line = output.readLine();
        if (line == null) {
            throw new IOException("The worker ended without a word");
        }
        return line;
    }

    void send(String line) throws IOException {
        input.write(line + "\n");
        input.flush();
    }

    void signal(String name) {
        Signals.send(name, pid());
    }

    /** Like kill -9: it gets no chance to tidy up. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws Exception {
        kill();
    }
}
