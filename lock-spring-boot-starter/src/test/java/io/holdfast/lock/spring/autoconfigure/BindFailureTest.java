package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a user reads about a value that is not of its property's type. */
class BindFailureTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    holdfast.lease                  | soon | a duration with a unit, such as 500ms, 30s
                    holdfast.redis.command-timeout  | 5 s. | a duration with a unit
                    holdfast.fail-fast              | 7    | true or false
                    holdfast.redis.connections      | many | a whole number
                    holdfast.aop.order              | last | a whole number
                    holdfast.store                  | moon | redis or in-memory
                    holdfast.quorum.rejoin-delay    | ever | a duration with a unit
                    """)
    void value_of_another_type_is_told_with_what_is_allowed(String property, String value, String allowed) {
        Runners.redis()
                .withPropertyValues("holdfast.quorum.nodes=a:1,b:1,c:1", property + "=" + value)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("Property " + property + " is '" + value + "'", "Change " + property, allowed));
    }

    @Test
    void other_properties_are_left_to_spring_boot() {
        Runners.redis()
                .withPropertyValues("spring.data.redis.timeout=soon")
                .run(context -> assertThat(Startup.failureOf(context)).doesNotContain("which is invalid"));
    }
}
