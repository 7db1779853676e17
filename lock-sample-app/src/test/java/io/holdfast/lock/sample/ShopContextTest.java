package io.holdfast.lock.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.testing.TestRedis;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The sample in a test of Spring Boot's own kind, which can be processed ahead of time too. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class ShopContextTest {

    /** Known also when the test is processed ahead of time, before any extension of JUnit has made something. */
    private static final Path DIRECTORY =
            Path.of("target", "shop-context-" + ProcessHandle.current().pid()).toAbsolutePath();

    @DynamicPropertySource
    static void properties(DynamicPropertyRegistry properties) {
        properties.add("shop.directory", DIRECTORY::toString);
        properties.add("spring.data.redis.host", () -> "127.0.0.1");
        properties.add("holdfast.redis.command-timeout", () -> "30s");
        properties.add("spring.data.redis.port", () -> TestRedis.shared().port());
    }

    @Test
    void locks_are_held_in_redis(@Autowired LockTemplate locks) {
        boolean held =
                locks.execute("context", () -> locks.inspect("context").holder().isPresent());

        assertThat(held).isTrue();
    }

    /** The build says which it wants, by the system property. */
    @Test
    void context_is_the_one_that_was_processed_if_the_build_has_processed_it() {
        assertThat(AotDetector.useGeneratedArtifacts()).isEqualTo(Boolean.getBoolean("spring.aot.enabled"));
    }
}
