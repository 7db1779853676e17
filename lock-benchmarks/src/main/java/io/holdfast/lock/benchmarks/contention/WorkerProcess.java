package io.holdfast.lock.benchmarks.contention;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Another JVM that runs {@link Worker}; it ends with this one, or when it is closed. */
final class WorkerProcess implements AutoCloseable {

    private final Process process;
    private final BufferedReader output;
    private final BufferedWriter input;

    WorkerProcess() {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                Worker.class.getName());
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        input = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    }

    void send(Message message) {
        try {
            input.write(message.line() + "\n");
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the next message, which must have that name} */
    Message await(String name) {
        String line;
        try {
            line = output.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (line == null || !line.split(" ", 2)[0].equals(name)) {
            throw new IllegalStateException("A worker should have sent " + name + " but sent " + line);
        }
        return Message.parse(line);
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
