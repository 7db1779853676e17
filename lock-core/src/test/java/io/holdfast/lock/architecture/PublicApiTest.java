package io.holdfast.lock.architecture;

import io.holdfast.lock.testing.PublicApi;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The API of the library, which only grows within a major version. */
class PublicApiTest {

    @Test
    void public_api_is_as_committed() {
        PublicApi.assertIs(
                Path.of("src/test/resources/public-api.txt"),
                Set.of(
                        "io.holdfast.lock.api",
                        "io.holdfast.lock.store",
                        "io.holdfast.lock.store.scan",
                        "io.holdfast.lock.engine",
                        "io.holdfast.lock.leader",
                        "io.holdfast.lock.memory",
                        "io.holdfast.lock.quorum",
                        "io.holdfast.lock.redis"));
    }
}
