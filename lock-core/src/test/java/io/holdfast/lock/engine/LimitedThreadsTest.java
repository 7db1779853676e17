package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.holdfast.lock.testing.WorkerProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same as {@link NoRoomForThreadsTest} with a real limit: {@code prlimit --nproc} on another process. The system does not limit
 * root, so the process of a test that runs as root belongs to another user, on a copy of the class path that this user may read.
 */
@Timeout(300)
class LimitedThreadsTest {

    /** A user with no processes of its own. */
    private static final String USER = "54321";

    private static final String UNLIMITED = "10000";

    @Test
    void nothing_is_lost_under_a_limit_of_the_system(@TempDir Path directory) throws Exception {
        boolean root = System.getProperty("user.name").equals("root");
        assumeThat(isThere("prlimit")).as("prlimit of util-linux").isTrue();
        assumeThat(!root || isThere("setpriv")).as("setpriv of util-linux").isTrue();
        List<String> asUser =
                root ? List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--clear-groups") : List.of();
        String classPath = root ? copyFor(directory) : System.getProperty("java.class.path");

        try (WorkerProcess worker = WorkerProcess.start(asUser, classPath, LimitedWorker.class)) {
            assertThat(worker.nextLine()).isEqualTo("ready");
            limit(worker, asUser, "1");
            worker.send("begin");
            String limited = worker.nextLine();
            assumeThat(limited).as("whether the system enforces the limit").isEqualTo("limited");
            assertThat(worker.nextLine()).isEqualTo("begun");
            limit(worker, asUser, UNLIMITED);

            Awaitility.await().atMost(1, TimeUnit.MINUTES).untilAsserted(() -> {
                worker.send("what is left?");
                assertThat(worker.nextLine()).isEqualTo("[]");
            });
            worker.send("end");
        }
    }

    private static boolean isThere(String tool) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, tool)));
    }

    /** By the same user, since root may lack the right to limit the processes of others. */
    private static void limit(WorkerProcess worker, List<String> asUser, String threads) throws Exception {
        List<String> command = new ArrayList<>(asUser);
        command.addAll(
                List.of("prlimit", "--pid", Long.toString(worker.pid()), "--nproc=" + threads + ":" + UNLIMITED));
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    /** The classes of this module and of the few libraries that the scenes need. */
    private static String copyFor(Path directory) throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> copies = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path from = Path.of(entry);
            boolean library = from.getFileName().toString().matches("(slf4j-api|jspecify|logback).*\\.jar");
            if (library || Files.isDirectory(from)) {
                Path to = directory.resolve(copies.size() + "-" + from.getFileName());
                copy(from, to);
                copies.add(to.toString());
            }
        }
        return String.join(File.pathSeparator, copies);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : all.toList()) {
                Path copy = to.resolve(from.relativize(each).toString());
                if (Files.isDirectory(each)) {
                    Files.createDirectories(copy);
                    Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwxr-xr-x"));
                } else {
                    Files.copy(each, copy, StandardCopyOption.REPLACE_EXISTING);
                    Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-r--r--"));
                }
            }
        }
    }
}
