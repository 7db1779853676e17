package io.holdfast.lock.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationTextTest {

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 ms",
        "PT0.0004S, 0 ms",
        "PT0.0019S, 1 ms",
        "PT0.999S, 999 ms",
        "PT1S, 1 s",
        "PT1.204S, 1.2 s",
        "PT9.99S, 9.9 s",
        "PT10.9S, 10 s",
        "PT59.9S, 59 s",
        "PT1M, 1 min",
        "PT5M10S, 5 min 10 s",
        "PT59M59.9S, 59 min 59 s",
        "PT1H, 1 h",
        "PT59994.643S, 16 h 39 min",
        "PT23H59M59S, 23 h 59 min",
        "PT24H, 1 day",
        "P3DT4H59M, 3 days 4 h",
        "P365D, 365 days",
        "PT9223372036854775807S, 106751991167300 days 15 h"
    })
    void duration_is_written_as_a_person_says_it(Duration time, String text) {
        assertThat(DurationText.of(time)).isEqualTo(text);
    }
}
