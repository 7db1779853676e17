package io.holdfast.lock.spring.guest;

import static org.assertj.core.api.Assertions.assertThat;

import example.customers.CustomersApplication;
import example.orders.Orders;
import io.holdfast.lock.spring.guest.Example.Starter;
import io.holdfast.lock.testing.TestRedis;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
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

    private static final Path PROGRAM = DIRECTORY.resolve("program");
    private static final Path ORDERS = DIRECTORY.resolve("orders");
    private static final Path CUSTOMERS = DIRECTORY.resolve("customers");
    private static final Set<Example> WITH_REPOSITORY = EnumSet.of(Example.LETTUCE, Example.LETTUCE_ONLY);
    private static final int MAX_CLASSES = 220;

    private static ClassPaths paths;

    @BeforeAll
    static void resolve() throws IOException, InterruptedException {
        paths = ClassPaths.resolve(
                PROJECT, DIRECTORY, System.getProperty("project.version"), System.getProperty("spring-boot.version"));
        copy(Report.class, "Report", PROGRAM);
        copy(Orders.class, "Order", ORDERS);
        copy(CustomersApplication.class, "Customer", CUSTOMERS);
    }

    /** By themselves: what else is in the tests' directory belongs to no application. */
    private static void copy(Class<?> neighbour, String prefix, Path target) throws IOException {
        Path classes = Path.of("target", "test-classes");
        Path folder = Path.of(neighbour.getPackageName().replace('.', File.separatorChar));
        Files.createDirectories(target.resolve(folder));
        try (Stream<Path> files = Files.list(classes.resolve(folder))) {
            for (Path file : files.filter(each -> each.getFileName().toString().startsWith(prefix))
                    .toList()) {
                Files.write(target.resolve(folder).resolve(file.getFileName()), Files.readAllBytes(file));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void application_differs_by_what_is_listed_in_every_order_of_dependencies(Example example) throws Exception {
        Map<Starter, SortedSet<String>> reports = reports(example);
        SortedSet<String> without = Objects.requireNonNull(reports.get(Starter.NONE));
        List<String> first = differences(without, Objects.requireNonNull(reports.get(Starter.FIRST)));
        List<String> last = differences(without, Objects.requireNonNull(reports.get(Starter.LAST)));

        assertThat(last).isEqualTo(first);
        assertThat(first).isEqualTo(expected(example));
        assertThat(without.contains("repository has a pen")).isEqualTo(WITH_REPOSITORY.contains(example));
    }

    /** Of applications that run at the same time. */
    private static Map<Starter, SortedSet<String>> reports(Example example) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            Map<Starter, Future<SortedSet<String>>> running = new EnumMap<>(Starter.class);
            for (Starter place : Starter.values()) {
                running.put(place, threads.submit(() -> report(example, place)));
            }
            Map<Starter, SortedSet<String>> reports = new EnumMap<>(Starter.class);
            for (Map.Entry<Starter, Future<SortedSet<String>>> each : running.entrySet()) {
                reports.put(each.getKey(), each.getValue().get());
            }
            return reports;
        } finally {
            threads.shutdownNow();
        }
    }

    private static SortedSet<String> report(Example example, Starter place) throws IOException, InterruptedException {
        List<Path> jars = paths.of(example, place);
        SortedSet<String> lines = new TreeSet<>();
        jars.forEach(jar -> lines.add("jar " + jar.getFileName().toString().replaceAll("-[0-9].*", "")));
        List<Path> programs = WITH_REPOSITORY.contains(example) ? List.of(PROGRAM, ORDERS) : List.of(PROGRAM);
        lines.addAll(run(
                example.with(place),
                Report.class,
                example,
                Stream.concat(programs.stream(), jars.stream()),
                "holdfast.redis.command-timeout=60s"));
        return lines;
    }

    /**
     * Beside the same application with the jars that the starter needs, and without the starter. It sets no property of locks and
     * uses none, so their store is not created.
     */
    @Test
    void few_classes_are_loaded_for_locks_where_nothing_uses_them() throws Exception {
        List<Path> jars = paths.of(Example.LETTUCE_ONLY, Starter.LAST);
        Predicate<Path> starter = jar -> jar.getFileName().toString().startsWith("lock-");

        int without = classes("start-without", jars.stream().filter(starter.negate()));
        int with = classes("start-with", jars.stream());

        System.out.println("Classes loaded at the start: " + without + " without the starter, " + with + " with it");
        assertThat(with - without).isBetween(1, MAX_CLASSES);
    }

    /** The entity has no annotation, which Spring Data requires as soon as there are two of its modules. */
    @Test
    void application_with_spring_data_jdbc_reads_that_its_entities_need_an_annotation() throws Exception {
        assertThat(customers(Starter.NONE)).contains("REPORT customers there");
        assertThat(customers(Starter.LAST))
                .contains(
                        "requires the repository example.customers.Customers, which Spring Data has not created",
                        "Annotate the entity: @Table (Spring Data JDBC")
                .doesNotContain("REPORT");
    }

    private static String customers(Starter place) throws IOException, InterruptedException {
        Path log = start(
                "customers-" + Example.JDBC.with(place),
                CustomersApplication.class,
                Example.JDBC,
                Stream.concat(Stream.of(CUSTOMERS), paths.of(Example.JDBC, place).stream()),
                place == Starter.NONE ? 0 : 1);
        return Files.readString(log);
    }

    private static int classes(String name, Stream<Path> jars) throws IOException, InterruptedException {
        List<String> lines =
                run(name, ReportClasses.class, Example.LETTUCE_ONLY, Stream.concat(Stream.of(PROGRAM), jars));
        return Integer.parseInt(lines.get(0));
    }

    private static List<String> run(
            String name, Class<?> program, Example example, Stream<Path> jars, String... properties)
            throws IOException, InterruptedException {
        return Files.readAllLines(start(name, program, example, jars, 0, properties)).stream()
                .filter(line -> line.startsWith("REPORT "))
                .map(line -> line.substring("REPORT ".length()))
                .toList();
    }

    /** Runs a program until it exits with the given code, and returns its log. */
    private static Path start(
            String name, Class<?> program, Example example, Stream<Path> jars, int code, String... properties)
            throws IOException, InterruptedException {
        int port = TestRedis.shared().port();
        Path log = Files.createDirectories(DIRECTORY.resolve(name)).resolve("application.log");
        String classPath = jars.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classPath,
                program.getName(),
                "server.port=0",
                "spring.main.banner-mode=off",
                example.hasRedis()
                        ? "spring.data.redis.url=redis://127.0.0.1:" + port
                        : "holdfast.redis.url=redis://127.0.0.1:" + port,
                "spring.data.redis.timeout=60s",
                "management.endpoint.health.show-components=always",
                "management.endpoint.health.show-details=always"));
        command.addAll(List.of(properties));
        Process application = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(application.waitFor()).as(() -> "Application, see " + log).isEqualTo(code);
        return log;
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
