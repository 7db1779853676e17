package io.holdfast.lock.engine.deadlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.engine.client.Cleanup;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.store.overview.WaitReport;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When a client records its nested waits, on virtual time. */
class NestedWaitsTest {

    private static final Duration YOUNG = Duration.ofMillis(20);

    private final FakeTicker time = new FakeTicker();
    private boolean failing;
    private final StoreSpy store = new StoreSpy(new InMemoryLockStore()) {
        @Override
        public void recordWaits(String clientId, List<WaitReport> waits) {
            super.recordWaits(clientId, waits);
            if (failing) {
                throw new IllegalStateException("The connection factory is closed");
            }
        }
    };
    private final ClientContext client = new ClientContext(store, new Cleanup(store), time, false, "client");
    private final NestedWaits waits = new NestedWaits(client, false);

    private static NestedWait what(String thread) {
        var held = new NestedWait.Held(LockKey.of("held"), 1, LockMode.EXCLUSIVE);
        return new NestedWait(
                "client", "host", 1, thread, LockKey.of("k"), LockMode.EXCLUSIVE, Duration.ZERO, List.of(held));
    }

    private NestedWaits.BegunWait begin() {
        return waits.begin(() -> what("main"));
    }

    private void pass(Duration passed) {
        time.pass(passed);
        waits.tick();
    }

    private List<List<WaitReport>> records() {
        return store.waitRecords;
    }

    private List<WaitReport> lastRecord() {
        return records().get(records().size() - 1);
    }

    @Test
    void wait_shorter_than_20_ms_is_never_recorded() {
        NestedWaits.BegunWait wait = begin();
        pass(YOUNG.minusNanos(1));
        wait.end(false);
        pass(YOUNG);

        assertThat(records()).isEmpty();
        assertThat(waits.isIdle()).isTrue();
    }

    @Test
    void wait_is_recorded_after_20_ms_again_after_100_ms_and_then_every_500_ms() {
        begin();
        pass(YOUNG);
        assertThat(records()).hasSize(1);

        pass(Duration.ofMillis(99));
        assertThat(records()).hasSize(1);
        pass(Duration.ofMillis(1));
        assertThat(records()).hasSize(2);

        pass(Duration.ofMillis(499));
        assertThat(records()).hasSize(2);
        pass(Duration.ofMillis(1));
        assertThat(records()).hasSize(3);
    }

    @Test
    void wait_that_succeeds_is_removed_at_once() {
        NestedWaits.BegunWait wait = begin();
        pass(YOUNG);

        wait.end(false);
        waits.tick();

        assertThat(lastRecord()).isEmpty();
        assertThat(waits.isIdle()).isTrue();
    }

    @Test
    void wait_in_vain_stays_recorded_for_one_second_marked_as_ended() {
        NestedWaits.BegunWait wait = begin();
        pass(YOUNG);

        wait.end(true);
        waits.tick();
        assertThat(lastRecord()).extracting(WaitReport::ended).containsExactly(true);
        pass(Duration.ofMillis(999));
        assertThat(lastRecord()).isNotEmpty();

        pass(Duration.ofMillis(1));
        assertThat(lastRecord()).isEmpty();
        assertThat(waits.isIdle()).isTrue();
    }

    @Test
    void wait_in_vain_that_was_never_recorded_is_forgotten() {
        begin().end(true);

        pass(YOUNG);

        assertThat(records()).isEmpty();
        assertThat(waits.isIdle()).isTrue();
    }

    @Test
    void ended_wait_keeps_the_description_it_had_while_it_waited() {
        String[] thread = {"waiting"};
        NestedWaits.BegunWait wait = waits.begin(() -> what(thread[0]));
        pass(YOUNG);

        wait.end(true);
        thread[0] = "acquires something else";
        waits.tick();

        assertThat(lastRecord()).extracting(report -> report.what().thread()).containsExactly("waiting");
    }

    @Test
    void record_has_the_64_oldest_waits() {
        long[] ids = IntStream.range(0, 70).mapToLong(i -> begin().id()).toArray();

        pass(YOUNG);

        assertThat(lastRecord()).hasSize(64);
        assertThat(lastRecord().get(0).id()).isEqualTo(ids[0]);
    }

    @Test
    void wait_that_is_old_enough_is_recorded_with_those_that_are_recorded_already() {
        begin();
        pass(YOUNG);
        begin();
        pass(YOUNG.minusNanos(1));
        assertThat(records()).hasSize(1);
        pass(Duration.ofNanos(1));
        assertThat(lastRecord()).hasSize(2);
    }

    @Test
    void nothing_is_due_once_the_end_of_the_last_wait_is_recorded() {
        NestedWaits.BegunWait wait = begin();
        pass(YOUNG);
        wait.end(false);
        assertThat(waits.isIdle()).isFalse();

        waits.tick();

        assertThat(waits.isIdle()).isTrue();
        assertThat(records()).hasSize(2);
    }

    @Test
    void end_of_a_wait_in_vain_is_recorded_once() {
        NestedWaits.BegunWait wait = begin();
        pass(YOUNG);
        wait.end(true);
        waits.tick();
        assertThat(records()).hasSize(2);

        pass(Duration.ofMillis(99));

        assertThat(records()).hasSize(2);
    }

    @Test
    void record_has_as_many_waits_as_100_000_characters_of_keys_allow() {
        String long10 = "x".repeat(10_000);
        for (int i = 0; i < 6; i++) {
            waits.begin(() -> what(long10, long10));
        }

        pass(YOUNG);

        assertThat(lastRecord()).hasSize(5);
    }

    @Test
    void record_has_short_waits_although_a_long_one_before_them_is_left_out() {
        String long10 = "x".repeat(10_000);
        for (int i = 0; i < 4; i++) {
            waits.begin(() -> what(long10, long10));
        }
        waits.begin(() -> what(long10, long10 + "y"));
        long brief = begin().id();

        pass(YOUNG);

        assertThat(lastRecord())
                .hasSize(5)
                .last()
                .satisfies(report -> assertThat(report.id()).isEqualTo(brief));
    }

    private static NestedWait what(String wanted, String holds) {
        var held = new NestedWait.Held(LockKey.of(holds), 1, LockMode.EXCLUSIVE);
        return new NestedWait(
                "client", "host", 1, "main", LockKey.of(wanted), LockMode.EXCLUSIVE, Duration.ZERO, List.of(held));
    }

    @Test
    void failing_store_is_tried_again_and_fails_nobody() {
        failing = true;
        begin();
        pass(YOUNG);
        failing = false;

        pass(Duration.ofMillis(500));

        assertThat(records()).hasSize(2);
    }

    /** Each change would cause a call. */
    private void change(int times) {
        for (int i = 0; i < times; i++) {
            begin();
            time.pass(YOUNG);
            waits.tick();
        }
    }

    @Test
    void four_changes_in_a_row_are_recorded_at_once_and_then_one_every_half_second() {
        change(5);
        assertThat(records()).hasSize(4);
        passTo(5, Duration.ofMillis(420)); // the fourth was at 80 ms, the fifth is due half a second after the first

        for (int calls = 6; calls < 10; calls++) {
            change(1);
            passTo(calls, Duration.ofMillis(480));
        }
    }

    /** The next record is made at the end of the time, and not before. */
    private void passTo(int calls, Duration passed) {
        pass(passed.minusNanos(1));
        assertThat(records()).hasSize(calls - 1);
        pass(Duration.ofNanos(1));
        assertThat(records()).hasSize(calls);
    }

    @Test
    void long_pause_saves_up_no_more_than_four_calls() {
        change(4);
        time.pass(Duration.ofHours(1));

        change(6);

        assertThat(records()).hasSize(8);
    }

    private final BlockingQueue<Integer> sizes = new LinkedBlockingQueue<>();
    private final BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();

    private NestedWaits onThread() {
        StoreSpy noting = new StoreSpy(new InMemoryLockStore()) {
            @Override
            public void recordWaits(String clientId, List<WaitReport> waits) {
                sizes.add(waits.size());
            }
        };
        return new NestedWaits(new ClientContext(noting, new Cleanup(noting), Ticker.SYSTEM, false, "client"), true);
    }

    private NestedWait whatHere() {
        threads.add(Thread.currentThread());
        return what("main");
    }

    private void awaitRecord(int size) throws InterruptedException {
        Integer found = null;
        while (found == null || found != size) {
            found = sizes.poll(2, TimeUnit.MINUTES);
            assertThat(found).isNotNull();
        }
    }

    @Test
    void thread_records_a_wait_again_and_again_and_its_end_and_then_the_next_one() throws Exception {
        NestedWaits nested = onThread();
        for (int i = 0; i < 2; i++) {
            NestedWaits.BegunWait wait = nested.begin(this::whatHere);
            awaitRecord(1);
            awaitRecord(1);
            wait.end(false);
            awaitRecord(0);
        }
        nested.close();
    }

    @Test
    void thread_goes_on_after_an_error() throws Exception {
        NestedWaits nested = onThread();
        nested.begin(() -> {
            if (threads.isEmpty()) {
                threads.add(Thread.currentThread());
                throw new StackOverflowError();
            }
            return what("main");
        });
        awaitRecord(1);
        nested.close();
    }

    @Test
    void close_ends_the_thread_and_waits_begin_without_it() throws Exception {
        NestedWaits nested = onThread();
        nested.begin(this::whatHere);
        Thread thread = threads.poll(2, TimeUnit.MINUTES);

        nested.close();

        thread.join(TimeUnit.MINUTES.toMillis(2));
        assertThat(thread.isAlive()).isFalse();
        nested.begin(this::whatHere).end(false);
    }

    /** A later tick does not replace an earlier one: else waits that begin one after the other would put off the report for good. */
    @Test
    void wait_is_recorded_while_others_begin() throws Exception {
        NestedWaits nested = onThread();
        long start = System.nanoTime();
        while (sizes.isEmpty() && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(20)) {
            nested.begin(this::whatHere);
            Thread.sleep(1);
        }

        assertThat(sizes).isNotEmpty();
        nested.close();
    }
}
