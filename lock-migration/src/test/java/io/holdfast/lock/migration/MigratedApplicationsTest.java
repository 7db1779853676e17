package io.holdfast.lock.migration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openrewrite.ExecutionContext;
import org.openrewrite.InMemoryExecutionContext;
import org.openrewrite.Parser;
import org.openrewrite.Result;
import org.openrewrite.SourceFile;
import org.openrewrite.internal.InMemoryLargeSourceSet;
import org.openrewrite.java.JavaParser;
import org.openrewrite.properties.PropertiesParser;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.xml.XmlParser;
import org.openrewrite.yaml.YamlParser;

/**
 * Applications as users of each library write them, in {@code src/test/resources/applications}: what a recipe makes of one compiles
 * with the dependencies that its {@code pom.xml} then has, passes its own unit test, starts, and runs with its locks.
 */
@Tag("full")
class MigratedApplicationsTest {

    private static final List<String> DATA = List.of("spring-data-redis", "spring-data-keyvalue", "spring-oxm");
    private static final List<String> BOOT_DATA = List.of("spring-boot-data-redis");
    private static final List<String> INTEGRATION = List.of("spring-integration-core", "spring-messaging");

    /** What a dependency brings, of the parts of the class path that applications do not have without a dependency. */
    private static final Map<String, List<List<String>>> BROUGHT = Map.of(
            "lock-spring-boot-starter", List.of(List.of("/lock-spring-boot-starter", "/lock-core")),
            "shedlock-spring", List.of(List.of("shedlock-spring", "shedlock-core")),
            "shedlock-provider-redis-spring",
                    List.of(List.of("shedlock-provider", "shedlock-support", "shedlock-core"), DATA),
            "lock4j-redis-template-spring-boot-starter", List.of(List.of("lock4j-")),
            "redisson-spring-boot-starter", List.of(List.of("/redisson-"), DATA, BOOT_DATA),
            "spring-integration-redis", List.of(List.of("spring-integration-redis"), INTEGRATION, DATA),
            "spring-integration-core", List.of(INTEGRATION),
            "spring-data-redis", List.of(DATA),
            "spring-boot-starter-data-redis", List.of(DATA, BOOT_DATA));

    @TempDir
    private Path folder;

    private final Map<String, String> files = new TreeMap<>();

    private String file(String path) {
        return files.get(path);
    }

    @Test
    void application_of_shedlock() throws Exception {
        migrate("FromShedLock", "shedlock");

        assertThat(dependencies()).containsExactly("lock-spring-boot-starter", "spring-data-redis");
        assertThat(file("src/main/resources/application.yml")).endsWith("""
                holdfast:
                  redis:
                    key-prefix: prod
                  scheduled:
                    lease: PT30S
                """);
        assertThat(notes("src/main/java/com/example/InvoiceJob.java"))
                .containsExactly(
                        "lockAtLeastFor is dropped, since this job runs once for each time of its schedule; if it"
                                + " was to run less often, change the schedule");
        assertThat(String.join("", files.values()).replaceAll("// Holdfast: .*", ""))
                .doesNotContain("shedlock.");
        compile();
        run("com.example.InvoiceJobTest", "invoiceJob#remind");
    }

    @Test
    void application_of_lock4j() throws Exception {
        migrate("FromLock4j", "lock4j");

        assertThat(dependencies())
                .containsExactly(
                        "spring-boot-starter-data-redis",
                        "lock4j-redis-template-spring-boot-starter",
                        "lock-spring-boot-starter");
        assertThat(file("src/main/java/com/example/OrderService.java")).doesNotContain("baomidou");
        assertThat(file("src/main/java/com/example/GiftService.java")).doesNotContain("baomidou");
        assertThat(notes("src/main/java/com/example/StockService.java"))
                .containsExactly("this still uses Lock4j, and does not exclude what Holdfast locks");
        compile();
        run("com.example.OrderServiceTest", "orderService#cleanUp", "giftService#give", "stockService#restock");
    }

    @Test
    void application_of_redisson() throws Exception {
        migrate("FromRedisson", "redisson");

        assertThat(dependencies()).containsExactly("redisson-spring-boot-starter", "lock-spring-boot-starter");
        assertThat(notes("src/main/java/com/example/PaymentService.java"))
                .containsExactly(
                        "this still uses Redisson: PaymentServiceTest passes a RedissonClient to this class, and would have to pass a LockTemplate");
        assertThat(notes("src/main/java/com/example/RedissonConfig.java"))
                .containsExactly(
                        "holdfast.lease replaces the watchdog timeout",
                        "locks do not use this address: set spring.data.redis or holdfast.redis.url, or they are kept at localhost:6379");
        assertThat(file("src/main/java/com/example/RefundService.java")).doesNotContain("redisson");
        compile();
        run("com.example.PaymentServiceTest", "refundService#refund", "paymentService#pay");
    }

    @Test
    void application_of_spring_integration() throws Exception {
        migrate("FromSpringIntegration", "spring-integration");

        assertThat(dependencies())
                .containsExactly("lock-spring-boot-starter", "spring-integration-core", "spring-data-redis");
        assertThat(file("src/main/java/com/example/LockConfig.java"))
                .contains("    @Bean\n    public HoldfastLockRegistry redisLockRegistry(LockTemplate lockTemplate)");
        compile();
        run("com.example.ImportServiceTest", "importService#load", "exportService#export");
    }

    private void migrate(String recipe, String application) throws IOException {
        Path root = Path.of("src/test/resources/applications", application);
        ExecutionContext ctx = new InMemoryExecutionContext(failure -> {
            throw new AssertionError(failure);
        });
        List<Parser> parsers = List.of(
                JavaParser.fromJavaVersion()
                        .classpath(JavaParser.runtimeClasspath())
                        .build(),
                new XmlParser(),
                new YamlParser(),
                new PropertiesParser());
        List<SourceFile> sources = new ArrayList<>();
        try (Stream<Path> all = Files.walk(root)) {
            List<Path> given = all.filter(Files::isRegularFile).toList();
            for (Parser each : parsers) {
                sources.addAll(each.parse(given.stream().filter(each::accept).toList(), root, ctx)
                        .toList());
            }
        }
        sources.forEach(this::put);
        new RecipeSpec()
                        .recipeFromResource("/META-INF/rewrite/holdfast.yml", "io.holdfast.lock.migration." + recipe)
                        .getRecipe()
                        .run(new InMemoryLargeSourceSet(sources), ctx)
                        .getChangeset()
                        .getAllResults()
                        .stream()
                        .map(Result::getAfter)
                        .forEach(this::put);
        for (Map.Entry<String, String> each : files.entrySet()) {
            Path file = folder.resolve(each.getKey());
            Files.createDirectories(file.getParent());
            Files.writeString(file, each.getValue());
        }
    }

    private void put(SourceFile file) {
        files.put(file.getSourcePath().toString().replace('\\', '/'), file.printAll());
    }

    private List<String> notes(String path) {
        return find("// Holdfast: (.*); see docs", file(path));
    }

    private List<String> dependencies() {
        String pom = file("pom.xml");
        return find("<artifactId>(.*)</artifactId>", pom.substring(pom.indexOf("<dependencies>")));
    }

    private static List<String> find(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private List<String> classPath() {
        List<String> brought = dependencies().stream()
                .flatMap(each -> BROUGHT.get(each).stream())
                .flatMap(List::stream)
                .toList();
        List<String> guarded = BROUGHT.values().stream()
                .flatMap(List::stream)
                .flatMap(List::stream)
                .toList();
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(each -> !each.contains("slf4j-nop")) // which is for the recipes
                .filter(each -> guarded.stream().noneMatch(each::contains)
                        || brought.stream().anyMatch(each::contains))
                .toList();
    }

    private void compile() throws IOException {
        List<File> sources;
        try (Stream<Path> all = Files.walk(folder.resolve("src"))) {
            sources = all.filter(each -> each.toString().endsWith(".java"))
                    .map(Path::toFile)
                    .toList();
        }
        assertThat(Compiler.errors(sources, folder, String.join(File.pathSeparator, classPath())))
                .isEmpty();
    }

    /** In a process of its own, with no more on its class path. */
    private void run(String test, String... calls) throws IOException, InterruptedException {
        List<String> path = new ArrayList<>(classPath());
        path.add(0, folder.resolve("classes").toString());
        path.add(0, folder.resolve("src/main/resources").toString());
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+EnableDynamicAgentLoading",
                "-Dspring.data.redis.host=127.0.0.1",
                "-Dspring.data.redis.port=" + Redis.port(),
                "-Dspring.main.web-application-type=none",
                "-Dholdfast.redis.command-timeout=30s",
                "-Dholdfast.test.address=redis://127.0.0.1:" + Redis.port(),
                "-cp",
                String.join(File.pathSeparator, path),
                MigratedApplication.class.getName(),
                test));
        command.addAll(List.of(calls));
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = process.waitFor(3, TimeUnit.MINUTES);
        process.destroyForcibly();

        assertThat(ended && process.exitValue() == 0)
                .as("%s", Files.readString(output))
                .isTrue();
    }
}
