package io.holdfast.lock.faults;

import io.holdfast.lock.history.Attempt;
import io.holdfast.lock.history.History;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.springframework.util.FileSystemUtils;

/**
 * Crews take locks while one fault after the other happens, and each of their locks has to be granted again after the last
 * one.
 */
final class FaultRun implements AutoCloseable {

    private static final Duration AT_LEAST = Duration.ofSeconds(Long.getLong("faults.seconds", 60));
    private static final Duration BETWEEN = Duration.ofMillis(2500);
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Path directory;
    private final List<Crew> crews = new ArrayList<>();
    private final List<Fault.Past> past = new ArrayList<>();

    /** @param name for the directory of the records, under {@code target}, which are kept until the next run */
    FaultRun(String name) throws IOException {
        this.directory = Path.of("target", "faults", name);
        FileSystemUtils.deleteRecursively(directory);
        Files.createDirectories(directory);
    }

    Crew crew(String name, LockPlace place, List<String> keys, int size) throws Exception {
        Crew crew = Crew.start(name, Files.createDirectory(directory.resolve(name)), place, keys, size, Defect.NONE);
        crews.add(crew);
        return crew;
    }

    /** Processes that stand for each of these roles. */
    Crew leaders(LockPlace place, List<String> roles, int size) throws Exception {
        Crew crew =
                Crew.startLeaders("leaders", Files.createDirectory(directory.resolve("leaders")), place, roles, size);
        crews.add(crew);
        return crew;
    }

    /** Goes on for at least a minute, or {@code -Dfaults.seconds}, and until each of them has happened; returns when all is well again. */
    void inflict(List<Fault> faults) throws Exception {
        awaitService();
        long begin = System.nanoTime();
        for (int i = 0; i < faults.size() || System.nanoTime() - begin < AT_LEAST.toNanos(); i++) {
            past.add(faults.get(i % faults.size()).happen());
            Thread.sleep(BETWEEN.toMillis());
        }
        awaitService();
    }

    /** @param topology of the servers, and how they were used */
    Report report(String topology, Crew crew) throws IOException {
        Report report = Report.of(topology, crew.history(), past);
        report.publish();
        return report;
    }

    /** Every lock is granted to somebody who asks for it from now on. */
    private void awaitService() throws IOException {
        for (Crew crew : crews) {
            History.Mark now = crew.mark();
            Awaitility.await("locks of " + crew.name() + " are granted")
                    .atMost(PATIENCE)
                    .pollInterval(500, TimeUnit.MILLISECONDS)
                    .until(() -> granted(crew.history(now)).containsAll(crew.keys()));
        }
    }

    private static Set<String> granted(History history) {
        return history.grants().stream().map(Attempt::key).collect(Collectors.toSet());
    }

    @Override
    public void close() throws Exception {
        for (Crew crew : crews) {
            crew.close();
        }
    }
}
