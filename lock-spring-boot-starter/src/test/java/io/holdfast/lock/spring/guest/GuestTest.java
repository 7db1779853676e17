package io.holdfast.lock.spring.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.guest.Example.Starter;
import io.holdfast.lock.testing.TestRedis;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the starter, as it is packaged, changes in an application. The list is in {@code differences.txt}; {@code +} is what
 * comes, {@code -} what goes. Of the starter itself there are its beans, its auto-configurations, its health.
 */
@Tag("applications")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class GuestTest {

    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    private static final Path DIRECTORY = Path.of("target", "applications").toAbsolutePath();
    private static final Path EXPECTED =
            Path.of("src", "test", "resources", "io", "holdfast", "lock", "spring", "guest", "differences.txt");

    private static ClassPaths paths;

    @BeforeAll
    static void resolve() throws IOException, InterruptedException {
        paths = ClassPaths.resolve(
                PROJECT, DIRECTORY, System.getProperty("project.version"), System.getProperty("spring-boot.version"));
        copyProgram();
    }

    /** By itself: what else is in the tests' directory belongs to no application. */
    private static void copyProgram() throws IOException {
        Path classes = Path.of("target", "test-classes");
        Path folder = Path.of(Report.class.getPackageName().replace('.', File.separatorChar));
        Files.createDirectories(DIRECTORY.resolve("program").resolve(folder));
        try (Stream<Path> files = Files.list(classes.resolve(folder))) {
            for (Path file : files.filter(each -> each.getFileName().toString().startsWith("Report"))
                    .toList()) {
                Files.write(
                        DIRECTORY.resolve("program").resolve(folder).resolve(file.getFileName()),
                        Files.readAllBytes(file));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void application_differs_by_what_is_listed_in_every_order_of_dependencies(Example example) throws Exception {
        SortedSet<String> without = report(example, Starter.NONE);
        List<String> first = differences(without, report(example, Starter.FIRST));
        List<String> last = differences(without, report(example, Starter.LAST));

        assertThat(last).isEqualTo(first);
        assertThat(first).isEqualTo(expected(example));
    }

    private static SortedSet<String> report(Example example, Starter place) throws IOException, InterruptedException {
        List<Path> jars = paths.of(example, place);
        SortedSet<String> lines = new TreeSet<>();
        jars.forEach(jar -> lines.add("jar " + jar.getFileName().toString().replaceAll("-[0-9].*", "")));
        lines.addAll(run(example.with(place), jars));
        return lines;
    }

    private static List<String> run(String name, List<Path> jars) throws IOException, InterruptedException {
        Path log = DIRECTORY.resolve(name).resolve("application.log");
        String classPath = Stream.concat(Stream.of(DIRECTORY.resolve("program")), jars.stream())
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
        Process application = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        classPath,
                        Report.class.getName(),
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + TestRedis.shared().port(),
                        "spring.data.redis.timeout=60s",
                        "holdfast.redis.command-timeout=60s",
                        "management.endpoint.health.show-components=always",
                        "management.endpoint.health.show-details=always")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(application.waitFor()).as(() -> "Application, see " + log).isZero();
        return Files.readAllLines(log).stream()
                .filter(line -> line.startsWith("REPORT "))
                .map(line -> line.substring("REPORT ".length()))
                .toList();
    }

    private static List<String> differences(SortedSet<String> without, SortedSet<String> with) {
        List<String> differences = new ArrayList<>();
        with.stream().filter(line -> !without.contains(line)).forEach(line -> differences.add("+ " + line));
        without.stream().filter(line -> !with.contains(line)).forEach(line -> differences.add("- " + line));
        differences.sort(Comparator.comparing(line -> line.substring(2)));
        return differences;
    }

    private static List<String> expected(Example example) throws IOException {
        List<String> lines = new ArrayList<>();
        boolean here = false;
        for (String line : Files.readAllLines(EXPECTED)) {
            if (line.startsWith("[")) {
                here = line.equals("[" + example + "]") || line.equals("[all]");
            } else if (here && !line.isBlank() && !line.startsWith("#")) {
                lines.add(line);
            }
        }
        lines.sort(Comparator.comparing(line -> line.substring(2)));
        return lines;
    }
}
