package io.holdfast.lock.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecorderTest {

    private static final List<Event> EVENTS = List.of(
            new Event.Invoked(1, "order:42", 3, 10),
            new Event.Granted(1, 1, 77, 20),
            new Event.Sampled(1, 21, 22, true),
            new Event.Invoked(2, "order:42", 3, 23),
            new Event.Granted(2, 1, 77, 24),
            new Event.Sampled(1, 30, 31, false),
            new Event.Lost(1, 32),
            new Event.Closing(1, 33),
            new Event.Failed(1, "LockLostException", 34),
            new Event.Closed(2, 35));

    @TempDir
    private Path directory;

    private void record(String process) {
        try (Recorder recorder = new Recorder(directory.resolve(process))) {
            EVENTS.forEach(recorder::add);
        }
    }

    @Test
    void what_was_written_is_read() throws Exception {
        record("a");
        record("b");

        assertThat(History.read(directory)).isEqualTo(History.of(Map.of("a", EVENTS, "b", EVENTS)));
    }

    @Test
    void events_tell_of_the_handle() throws Exception {
        record("a");

        assertThat(History.read(directory).attempts())
                .containsExactly(
                        new Attempt(
                                "a",
                                1,
                                1,
                                "order:42",
                                3,
                                10,
                                20,
                                77,
                                22,
                                21,
                                false,
                                true,
                                20,
                                List.of("LockLostException")),
                        new Attempt(
                                "a",
                                2,
                                1,
                                "order:42",
                                3,
                                23,
                                24,
                                77,
                                Attempt.NEVER,
                                Attempt.NEVER,
                                false,
                                false,
                                24,
                                List.of()));
    }

    @Test
    void what_was_written_after_a_mark_is_read_without_what_had_begun_before() throws Exception {
        record("a");
        Files.writeString(directory.resolve("a"), "invoked 3 order:42 0 36\ngranted 3", StandardOpenOption.APPEND);
        History.Mark mark = History.Mark.of(directory);
        Files.writeString(
                directory.resolve("a"),
                " 3 78 37\ninvoked 4 order:43 0 38\ngranted 4 4 9 39\n",
                StandardOpenOption.APPEND);
        record("b");

        assertThat(History.read(directory, mark).grants())
                .extracting(Attempt::process, Attempt::key)
                .containsExactly(tuple("a", "order:43"), tuple("b", "order:42"), tuple("b", "order:42"));
    }

    @Test
    void line_that_was_cut_off_is_left_out() throws Exception {
        record("a");
        Files.writeString(directory.resolve("a"), "granted 2 2 7", StandardOpenOption.APPEND);

        assertThat(History.read(directory)).isEqualTo(History.of(Map.of("a", EVENTS)));
    }

    @Test
    void process_with_another_clock_is_refused() {
        assertThatThrownBy(() -> SharedClock.verify(() -> System.nanoTime() + 1_000_000_000))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> SharedClock.verify(() -> 0)).isInstanceOf(IllegalStateException.class);
    }
}
