package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.lock.api.LockRequest;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.boot.origin.OriginTrackedValue;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ClassPathResource;

/** A value that is not allowed is reported with the file and line where it is set. */
class PropertyOriginTest {

    private final StandardEnvironment environment = new StandardEnvironment();

    @Test
    void file_and_line_of_an_invalid_value_are_named() {
        TextResourceOrigin line =
                new TextResourceOrigin(new ClassPathResource("application.yml"), new TextResourceOrigin.Location(6, 9));
        environment
                .getPropertySources()
                .addFirst(new OriginTrackedMapPropertySource(
                        "file", Map.of("holdfast.lease", OriginTrackedValue.of("30ms", line))));

        assertThat(description())
                .isEqualTo("Property holdfast.lease is '30ms' (class path resource [application.yml] - 7:10),"
                        + " which is invalid.");
    }

    @Test
    void value_whose_place_is_unknown_is_named_alone() {
        assertThat(description()).isEqualTo("Property holdfast.lease is '30ms', which is invalid.");
    }

    private String description() {
        Throwable failure = catchThrowable(() ->
                InvalidLockPropertyException.checkTime("holdfast.lease", Duration.ofMillis(30), LockRequest.MIN_LEASE));
        return new InvalidLockPropertyFailureAnalyzer(environment)
                .analyze(failure)
                .getDescription();
    }
}
