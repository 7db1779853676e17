package io.holdfast.lock.engine.deadlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.engine.client.Cleanup;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.Pause;
import io.holdfast.lock.store.overview.WaitReport;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When a client records its nested waits, on virtual time. */
class NestedWaitsTest {

    private static final Duration YOUNG = Duration.ofMillis(20);

    private final FakeTicker time = new FakeTicker();
    private final List<Thread> threads = new ArrayList<>();
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
    private final ClientContext client =
            new ClientContext(store, new Cleanup(store), time, Pause.PARK, false, "client");
    private final NestedWaits waits = new NestedWaits(client, false);

    private static NestedWait what(String thread) {
        var held = new NestedWait.Held(LockKey.of("held"), 1, LockMode.EXCLUSIVE);
        return new NestedWait(
                "client", "host", 1, thread, LockKey.of("k"), LockMode.EXCLUSIVE, Duration.ZERO, List.of(held));
    }

    private NestedWaits.Wait begin() {
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

    private NestedWaits onThread(ThreadFactory factory) {
        return new NestedWaits(client, true, factory);
    }

    private ThreadFactory noting() {
        return work -> {
            Thread thread = new Thread(work, "waits");
            threads.add(thread);
            return thread;
        };
    }

    private static void awaitEnd(Thread thread) throws InterruptedException {
        thread.join(TimeUnit.MINUTES.toMillis(2));
        assertThat(thread.isAlive()).isFalse();
    }

    @Test
    void wait_shorter_than_20_ms_is_never_recorded() {
        NestedWaits.Wait wait = begin();
        pass(YOUNG.minusNanos(1));
        wait.end();
        pass(YOUNG);

        assertThat(records()).isEmpty();
        assertThat(waits.tick()).isNegative();
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
        NestedWaits.Wait wait = begin();
        pass(YOUNG);

        wait.end();
        waits.tick();

        assertThat(lastRecord()).isEmpty();
        assertThat(waits.tick()).isNegative();
    }

    @Test
    void wait_in_vain_stays_recorded_for_one_second_marked_as_ended() {
        NestedWaits.Wait wait = begin();
        pass(YOUNG);

        wait.endInVain();
        waits.tick();
        assertThat(lastRecord()).extracting(WaitReport::ended).containsExactly(true);
        pass(Duration.ofMillis(999));
        assertThat(lastRecord()).isNotEmpty();

        pass(Duration.ofMillis(1));
        assertThat(lastRecord()).isEmpty();
        assertThat(waits.tick()).isNegative();
    }

    @Test
    void wait_in_vain_that_was_never_recorded_is_forgotten() {
        begin().endInVain();

        pass(YOUNG);

        assertThat(records()).isEmpty();
        assertThat(waits.tick()).isNegative();
    }

    @Test
    void ended_wait_keeps_the_description_it_had_while_it_waited() {
        String[] thread = {"waiting"};
        NestedWaits.Wait wait = waits.begin(() -> what(thread[0]));
        pass(YOUNG);

        wait.endInVain();
        thread[0] = "acquires something else";
        waits.tick();

        assertThat(lastRecord()).extracting(report -> report.what().thread()).containsExactly("waiting");
    }

    @Test
    void many_changes_cause_four_calls_at_once_and_two_a_second_afterwards() {
        for (int i = 0; i < 100; i++) {
            begin();
            pass(YOUNG);
        }

        assertThat(records()).hasSizeBetween(4, 8);
    }

    @Test
    void record_has_the_64_oldest_waits() {
        long[] ids = IntStream.range(0, 70).mapToLong(i -> begin().id()).toArray();

        pass(YOUNG);

        assertThat(lastRecord()).hasSize(64);
        assertThat(lastRecord().get(0).id()).isEqualTo(ids[0]);
    }

    @Test
    void next_tick_is_due_when_a_wait_is_old_enough_or_has_to_be_recorded_again() {
        begin();
        assertDue(YOUNG);
        time.pass(Duration.ofMillis(5));
        assertDue(YOUNG.minusMillis(5));

        time.pass(Duration.ofMillis(15));
        assertDue(YOUNG);
        assertThat(records()).hasSize(1);
        assertDue(Duration.ofMillis(100));
        time.pass(Duration.ofMillis(40));
        assertDue(Duration.ofMillis(60));

        begin();
        time.pass(Duration.ofMillis(5));
        assertDue(Duration.ofMillis(15));
        assertThat(records()).hasSize(1);
    }

    @Test
    void nothing_is_due_once_the_end_of_the_last_wait_is_recorded() {
        NestedWaits.Wait wait = begin();
        pass(YOUNG);
        wait.end();

        assertThat(waits.tick()).isNegative();
        assertThat(records()).hasSize(2);
    }

    @Test
    void end_of_a_wait_in_vain_is_recorded_once() {
        NestedWaits.Wait wait = begin();
        pass(YOUNG);
        wait.endInVain();
        waits.tick();
        assertThat(records()).hasSize(2);

        assertDue(Duration.ofMillis(100));

        assertThat(records()).hasSize(2);
    }

    private void assertDue(Duration after) {
        assertThat(Duration.ofNanos(waits.tick())).isEqualTo(after);
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

    @Test
    void thread_that_cannot_be_started_fails_no_caller_and_is_started_by_the_next_wait() throws Exception {
        boolean[] noMemory = {true};
        NestedWaits nested = onThread(work -> {
            if (noMemory[0]) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return noting().newThread(work);
        });

        nested.begin(() -> what("main")).end();
        noMemory[0] = false;
        nested.begin(() -> what("main"));

        assertThat(threads).hasSize(1);
        nested.close();
        awaitEnd(threads.get(0));
    }

    @Test
    void thread_ends_when_nobody_waits_and_another_wait_starts_a_new_one() throws Exception {
        NestedWaits nested = onThread(noting());
        nested.begin(() -> what("main")).end();
        awaitEnd(threads.get(0));

        nested.begin(() -> what("main")).end();

        assertThat(threads).hasSize(2);
        awaitEnd(threads.get(1));
    }

    @Test
    void close_ends_the_thread_and_no_wait_starts_another_one() throws Exception {
        NestedWaits nested = onThread(noting());
        nested.begin(() -> what("main"));

        nested.close();

        awaitEnd(threads.get(0));
        nested.begin(() -> what("main"));
        assertThat(threads).hasSize(1);
    }

    @Test
    void thread_that_dies_of_an_error_is_replaced_by_the_next_wait() throws Exception {
        boolean[] broken = {true};
        NestedWaits nested = onThread(work -> {
            Thread thread = noting().newThread(work);
            thread.setUncaughtExceptionHandler((dead, error) -> {});
            return thread;
        });
        store.waitRecords.clear();
        nested.begin(() -> {
            if (broken[0]) {
                throw new StackOverflowError();
            }
            return what("main");
        });
        time.pass(YOUNG);
        awaitEnd(threads.get(0));
        broken[0] = false;

        nested.begin(() -> what("main"));

        assertThat(threads).hasSize(2);
        nested.close();
        awaitEnd(threads.get(1));
    }
}
