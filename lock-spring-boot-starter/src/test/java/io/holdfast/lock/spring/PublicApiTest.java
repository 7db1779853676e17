package io.holdfast.lock.spring;

import io.holdfast.lock.testing.PublicApi;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The API of the starter, which only grows within a major version. */
class PublicApiTest {

    @Test
    void public_api_is_as_committed() {
        PublicApi.assertIs(
                Path.of("src/test/resources/public-api.txt"),
                Set.of(
                        "io.holdfast.lock.spring.annotation",
                        "io.holdfast.lock.spring.autoconfigure",
                        "io.holdfast.lock.spring.integration",
                        "io.holdfast.lock.spring.jobs",
                        "io.holdfast.lock.spring.observation",
                        "io.holdfast.lock.spring"));
    }
}
