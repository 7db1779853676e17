package io.holdfast.lock.engine.acquire;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.engine.client.Cleanup;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;
import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.engine.hold.Holds;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.store.scan.WaitReport;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.StoreSpy;
import io.holdfast.lock.waiting.Budget;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When a client records its nested waits, on virtual time. */
class WaitsTest {

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
    private final Waits waits = new Waits(client, false);

    private Waits.CallerWait begin() {
        return begin(waits, "k", hold("held", time));
    }

    private static Hold hold(String key, Ticker ticker) {
        long end = ticker.nanos() + Duration.ofDays(1).toNanos();
        return Holds.hold(
                LockKey.of(key),
                Holds.terms(Duration.ofDays(1)),
                new OwnerId("client", 1),
                1,
                ticker.nanos(),
                end,
                ticker,
                (hold, loss) -> {});
    }

    private static Waits.CallerWait begin(Waits waits, String wanted, Hold hold) {
        var caller = new Caller(Map.of(hold.key(), hold), () -> {}, true, false, false);
        return waits.begin(
                Holds.of(LockKey.of(wanted), Holds.terms(Duration.ofDays(1))),
                Budget.of(Ticker.SYSTEM, Long.MAX_VALUE),
                caller);
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
        Waits.CallerWait wait = begin();
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
        Waits.CallerWait wait = begin();
        pass(YOUNG);

        wait.end(false);
        waits.tick();

        assertThat(lastRecord()).isEmpty();
        assertThat(waits.isIdle()).isTrue();
    }

    @Test
    void wait_in_vain_stays_recorded_for_one_second_marked_as_ended() {
        Waits.CallerWait wait = begin();
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
        Hold hold = hold("held", time);
        Waits.CallerWait wait = begin(waits, "k", hold);
        pass(YOUNG);

        wait.end(true);
        hold.lose(LossCause.EXPIRED);
        waits.tick();

        assertThat(lastRecord())
                .flatExtracting(report -> report.what().holds())
                .extracting(held -> held.key().value())
                .containsExactly("held");
    }

    @Test
    void wait_is_recorded_without_locks_that_were_lost() {
        Hold hold = hold("held", time);
        begin(waits, "k", hold);
        hold.lose(LossCause.EXPIRED);

        pass(YOUNG);

        assertThat(lastRecord())
                .singleElement()
                .satisfies(report -> assertThat(report.what().holds()).isEmpty());
    }

    @Test
    void wait_of_a_caller_that_holds_nothing_is_not_recorded() {
        var caller = new Caller(Map.of(), () -> {}, true, false, false);
        var wait = waits.begin(Holds.terms(Duration.ofDays(1)), Budget.of(time, Long.MAX_VALUE), caller);
        pass(YOUNG);
        wait.end(false);

        assertThat(records()).isEmpty();
        assertThat(wait.id).isZero();
    }

    @Test
    void record_has_the_64_oldest_waits() {
        long[] ids = IntStream.range(0, 70).mapToLong(i -> begin().id).toArray();

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
        Waits.CallerWait wait = begin();
        pass(YOUNG);
        wait.end(false);
        assertThat(waits.isIdle()).isFalse();

        waits.tick();

        assertThat(waits.isIdle()).isTrue();
        assertThat(records()).hasSize(2);
    }

    @Test
    void end_of_a_wait_in_vain_is_recorded_once() {
        Waits.CallerWait wait = begin();
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
            begin(waits, long10, hold(long10, time));
        }

        pass(YOUNG);

        assertThat(lastRecord()).hasSize(5);
    }

    @Test
    void record_has_short_waits_although_a_long_one_before_them_is_left_out() {
        String long10 = "x".repeat(10_000);
        for (int i = 0; i < 4; i++) {
            begin(waits, long10, hold(long10, time));
        }
        begin(waits, long10, hold(long10 + "y", time));
        long brief = begin().id;

        pass(YOUNG);

        assertThat(lastRecord())
                .hasSize(5)
                .last()
                .satisfies(report -> assertThat(report.id()).isEqualTo(brief));
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
    private int errors;

    private Waits onThread() {
        StoreSpy noting = new StoreSpy(new InMemoryLockStore()) {
            @Override
            public void recordWaits(String clientId, List<WaitReport> waits) {
                threads.add(Thread.currentThread());
                if (errors-- > 0) {
                    throw new StackOverflowError();
                }
                sizes.add(waits.size());
            }
        };
        return new Waits(new ClientContext(noting, new Cleanup(noting), Ticker.SYSTEM, false, "client"), true);
    }

    private static Waits.CallerWait begin(Waits onThread) {
        return begin(onThread, "k", hold("held", Ticker.SYSTEM));
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
        Waits onThread = onThread();
        for (int i = 0; i < 2; i++) {
            Waits.CallerWait wait = begin(onThread);
            awaitRecord(1);
            awaitRecord(1);
            wait.end(false);
            awaitRecord(0);
        }
        onThread.close();
    }

    @Test
    void thread_goes_on_after_an_error() throws Exception {
        errors = 1;
        Waits onThread = onThread();
        begin(onThread);
        awaitRecord(1);
        onThread.close();
    }

    @Test
    void close_ends_the_thread_and_waits_begin_without_it() throws Exception {
        Waits onThread = onThread();
        begin(onThread);
        Thread thread = threads.poll(2, TimeUnit.MINUTES);

        onThread.close();

        thread.join(TimeUnit.MINUTES.toMillis(2));
        assertThat(thread.isAlive()).isFalse();
        begin(onThread).end(false);
    }

    /** A later tick does not replace an earlier one: else waits that begin one after the other would put off the report for good. */
    @Test
    void wait_is_recorded_while_others_begin() throws Exception {
        Waits onThread = onThread();
        long start = System.nanoTime();
        while (sizes.isEmpty() && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(20)) {
            begin(onThread);
            Thread.sleep(1);
        }

        assertThat(sizes).isNotEmpty();
        onThread.close();
    }
}
