package io.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(100)
class WorkerJvmTest {

    private static final int LINES = 2_000; // less than a pipe holds, more than a reader has read ahead

    /** Says its lines, and creates a file. */
    static final class Speaker {

        private Speaker() {}

        public static void main(String[] arguments) throws IOException {
            for (int i = 0; i < LINES; i++) {
                WorkerJvm.say("line " + i);
            }
            Files.createFile(Path.of(arguments[0]));
            WorkerJvm.awaitEndOfInput();
        }
    }

    @Test
    void what_a_killed_process_had_said_is_read(@TempDir Path directory) throws Exception {
        Path saidAll = directory.resolve("said-all");
        List<String> lines = new CopyOnWriteArrayList<>();
        CountDownLatch mayRead = new CountDownLatch(1);
        try (WorkerJvm speaker = WorkerJvm.start(
                line -> {
                    try {
                        mayRead.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    lines.add(line);
                },
                Speaker.class,
                saidAll.toString())) {
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> Files.exists(saidAll));
            Thread killer = new Thread(() -> {
                try {
                    speaker.kill();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            killer.start();
            Thread.sleep(500); // so that it is killed first, on most machines; the rule holds either way
            mayRead.countDown();
            killer.join();
        }

        assertThat(lines).hasSize(LINES);
    }
}
