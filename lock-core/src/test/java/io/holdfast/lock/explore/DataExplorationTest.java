package io.holdfast.lock.explore;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.store.DataRequest;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every order of reads, writes and late arrivals; and what is found if the store ignores a part of the request. */
class DataExplorationTest {

    private static final int ALL = 2_000_000;
    private static final long LATE = 1_000;

    private static Explorer.Result explore(
            String name, int holds, int writes, Supplier<UnaryOperator<DataRequest>> networks) {
        return Exploration.run("data of a lock" + name, new DataModel(holds, writes, networks), ALL);
    }

    @Test
    void no_late_write_of_a_former_holder_is_read_after_its_successor_has_read_or_written() {
        noLateWriteIsRead(3, 2);
    }

    @Test
    @Tag("full")
    void no_late_write_is_read_among_four_holders() {
        noLateWriteIsRead(4, 3);
    }

    private static void noLateWriteIsRead(int holds, int writes) {
        Explorer.Result result = explore(", " + holds + " holders", holds, writes, UnaryOperator::identity);

        assertThat(result.violation()).as(result.story()).isNull();
        assertThat(result.exhausted()).isTrue();
    }

    @Test
    void store_that_compares_no_tokens_takes_the_late_write_of_a_thread_that_has_handed_the_lock_off() {
        Explorer.Result result = explore(", tokens ignored", 3, 2, () -> {
            AtomicLong greatest = new AtomicLong();
            return request -> {
                long token = greatest.accumulateAndGet(request.fencingToken(), Math::max);
                return with(request, token, request.fencingToken() < token ? LATE : request.number());
            };
        });

        assertThat(result.violation()).as(result.story()).startsWith("P3");
        assertThat(result.trace()).anySatisfy(step -> assertThat(step).contains("hands the lock"));
    }

    @Test
    void store_that_compares_no_numbers_takes_a_late_write_after_a_later_one_of_the_same_holder() {
        Explorer.Result result = explore(", numbers ignored", 3, 2, () -> {
            AtomicLong arrivals = new AtomicLong();
            return request -> with(request, request.fencingToken(), arrivals.incrementAndGet());
        });

        assertThat(result.violation()).as(result.story()).startsWith("P3");
    }

    private static DataRequest with(DataRequest request, long token, long number) {
        return new DataRequest(
                request.key(),
                request.owner(),
                token,
                request.value(),
                request.value() == null ? 0 : number,
                request.keep());
    }
}
