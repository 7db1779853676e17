package io.holdfast.lock.engine.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.engine.client.ClientContext.Sequences;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Nothing that is in the heap decides what is drawn next. */
class SequencesTest {

    private static final long NOON = 1_000_000;

    private final List<Integer> reads = new ArrayList<>();
    private boolean closed;

    /** Yields the same for ever, as the state of a generator in two copies of a process would. */
    private InputStream stream(int content) {
        closed = false;
        return new InputStream() {
            @Override
            public int read() {
                throw new AssertionError("Byte by byte");
            }

            @Override
            public int read(byte[] bytes, int from, int length) throws IOException {
                if (closed) {
                    throw new IOException("Stream Closed");
                }
                reads.add(length);
                java.util.Arrays.fill(bytes, from, from + length, (byte) content);
                return length;
            }

            @Override
            public void close() {
                closed = true;
            }
        };
    }

    private Sequences sequences(int content, long nanos, long millis) {
        return new Sequences(() -> stream(content), () -> nanos, () -> millis);
    }

    @Test
    void each_draw_reads_eight_bytes_from_outside_and_keeps_none() {
        Sequences sequences = sequences(7, 5, NOON);
        IntStream.range(0, 3).forEach(i -> sequences.next());
        assertThat(reads).containsExactly(8, 8, 8);
        assertThat(sequences.next())
                .as("nothing but the bytes and the clocks, which stand still here, changes what is drawn")
                .isEqualTo(sequences.next());
    }

    @Test
    void copies_draw_different_ones_as_soon_as_the_systems_bytes_or_one_of_the_clocks_differ() {
        assertThat(List.of(
                        sequences(7, 5, NOON).next(),
                        sequences(8, 5, NOON).next(),
                        sequences(7, 6, NOON).next(),
                        sequences(7, 5, NOON + 1).next()))
                .doesNotHaveDuplicates();
    }

    @Test
    void draws_are_positive_and_differ() {
        Set<Long> drawn = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            long next = Sequences.SYSTEM.next();
            assertThat(next).isPositive();
            drawn.add(next);
        }
        assertThat(drawn).hasSize(10_000);
        assertThat(drawn.stream().filter(next -> next > Long.MAX_VALUE / 2).count())
                .as("all 63 bits are used")
                .isBetween(4_000L, 6_000L);
    }

    @Test
    void without_a_random_device_they_are_still_unguessable_and_differ() {
        Sequences sequences = new Sequences(
                () -> {
                    throw new FileNotFoundException("/dev/urandom");
                },
                () -> 5,
                () -> NOON);
        assertThat(IntStream.range(0, 100).mapToObj(i -> sequences.next())).doesNotHaveDuplicates();
    }

    @Test
    void the_device_is_closed_for_a_copy_and_opened_again_by_the_next_draw() {
        Sequences sequences = sequences(7, 5, NOON);
        long drawn = sequences.next();
        sequences.close();
        assertThat(closed).isTrue();
        assertThat(sequences.next()).isEqualTo(drawn);
        assertThat(closed).isFalse();
    }
}
