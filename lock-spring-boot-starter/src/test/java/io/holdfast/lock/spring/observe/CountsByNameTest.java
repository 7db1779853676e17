package io.holdfast.lock.spring.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.holdfast.lock.api.LockActivity;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One gauge for each of many names. */
class CountsByNameTest {

    private static final LockActivity.Wait WAIT =
            new LockActivity.Wait(LockKey.of("any"), "a", LockMode.EXCLUSIVE, "main", Duration.ZERO);

    private final LockActivity books = mock();
    private final AtomicLong now = new AtomicLong();
    private final CountsByName counts = new CountsByName(books, now::get);

    private void held(int number) {
        List<LockActivity.Hold> held = IntStream.range(0, number)
                .mapToObj(each -> hold(each % 2 == 0 ? "a" : ""))
                .toList();
        when(books.held()).thenReturn(held);
        when(books.waiting()).thenReturn(List.of(WAIT));
    }

    private static LockActivity.Hold hold(String name) {
        return new LockActivity.Hold(
                LockKey.of("any"), name, LockMode.EXCLUSIVE, 1, "main", Duration.ZERO, Duration.ofSeconds(30));
    }

    @Test
    void few_locks_are_counted_for_each_reading() {
        held(3);
        assertThat(counts.held("a")).isEqualTo(2);
        assertThat(counts.held("")).isEqualTo(1);
        assertThat(counts.held("b")).isZero();
        assertThat(counts.waiting("a")).isEqualTo(1);

        held(0);
        assertThat(counts.held("a")).isZero();
    }

    @Test
    void many_locks_are_counted_once_for_all_names_that_are_read_together() {
        held(5_000);
        for (int name = 0; name < 200; name++) {
            assertThat(counts.held("a")).isEqualTo(2_500);
            assertThat(counts.waiting("a")).isEqualTo(1);
        }
        verify(books, times(1)).held();

        held(2);
        now.addAndGet(Duration.ofMillis(101).toNanos());
        assertThat(counts.held("a")).isEqualTo(1);
    }
}
