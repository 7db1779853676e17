package io.holdfast.lock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;

/** What Boot's tests of a part of an application are given; most of their annotations are not on the class path here. */
class SliceImportsTest {

    private static final String AOP = "io.holdfast.lock.spring.autoconfigure.LockAopAutoConfiguration";
    private static final Path FOLDER = Path.of("src/main/resources/META-INF/spring");

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void annotated_methods_are_intercepted_in_every_part() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            assertThat(files.filter(file -> file.getFileName().toString().contains(".test.")))
                    .hasSize(20)
                    .allSatisfy(file -> assertThat(lines(file)).contains(AOP));
        }
    }

    /** Meters, endpoints and responses of web applications are parts of their own. */
    @Test
    void tests_with_locks_have_those_of_the_application() {
        List<String> locks = StreamSupport.stream(
                        ImportCandidates.load(AutoConfiguration.class, null).spliterator(), false)
                .filter(name -> name.startsWith("io.holdfast.lock."))
                .filter(name ->
                        name.matches(".*\\.autoconfigure\\.[A-Z]\\w+") || name.endsWith(".LockEventAutoConfiguration"))
                .filter(name -> !name.endsWith(".LockProblemDetailsAutoConfiguration"))
                .toList();
        assertThat(lines(FOLDER.resolve(
                        "org.springframework.boot.data.redis.test.autoconfigure.AutoConfigureDataRedis.imports")))
                .containsExactlyElementsOf(locks);
        assertThat(lines(FOLDER.resolve("io.holdfast.lock.spring.test.AutoConfigureTestLocks.imports")))
                .contains("io.holdfast.lock.spring.test.TestLocksAutoConfiguration")
                .containsAll(locks.stream()
                        .filter(name -> !name.contains("StoreAutoConfiguration"))
                        .toList());
    }
}
