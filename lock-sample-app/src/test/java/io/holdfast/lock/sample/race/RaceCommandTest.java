package io.holdfast.lock.sample.race;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.sample.SampleInstance;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class RaceCommandTest {

    @Test
    void both_races_are_run_and_told_and_the_exit_code_is_zero(@TempDir Path directory, CapturedOutput output) {
        try (SampleInstance shop =
                SampleInstance.start(directory, SampleInstance.noRedis(), "--shop.race=60", "--shop.race.workers=4")) {
            assertThat(output).contains("without lock", "with lock", "With it every item");
            assertThat(SpringApplication.exit(shop.context())).isZero();
        }
    }

    @Test
    void the_table_says_what_was_oversold_and_by_whom() {
        String text = RaceCommand.text(
                result(false, 10, 25, runner("port 1", "DONE", ""), runner("port 2", "DONE", "")),
                result(true, 10, 10, runner("port 1", "DONE", ""), runner("port 2", "GONE", "")));

        assertThat(text)
                .contains("without lock          2      10      25        15")
                .contains("with lock             2      10      10         0     1.5 ms     9.3 ms      1.2 s")
                .contains("port 2 sold 5 and stopped responding")
                .contains("Without the lock 15 items were sold that were not in stock."
                        + " With it every item was sold exactly once.");
    }

    @Test
    void a_race_whose_workers_failed_is_not_called_sound() {
        RaceResult result = result(true, 10, 8, runner("port 1", "DONE", "Redis is gone"));

        assertThat(result.isSound()).isFalse();
        assertThat(RaceCommand.text(result, result))
                .contains("a worker failed: Redis is gone", "With it nothing was oversold.");
    }

    private static RaceResult.Runner runner(String name, String state, String failure) {
        return new RaceResult.Runner(name, state, 5, 0, 1.5, 9.3, failure);
    }

    private static RaceResult result(boolean locked, int items, int sold, RaceResult.Runner... runners) {
        int oversold = Math.max(0, sold - items);
        int left = Math.max(0, items - sold);
        return new RaceResult(
                new Race(1, locked, false, items, 8, "DONE", sold, oversold, 0, left, 1.5, 9.3, 1234),
                List.of(runners));
    }
}
