package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.StoreSpy;
import io.holdfast.lock.threads.Pause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Who asks a store that fails, and when. */
class OutagesTest {

    private static final String SERVER = "server";

    private final FakeTicker time = new FakeTicker();
    private final Outages outages = new Outages(time);
    private final Budget unlimited =
            Budget.of(time, Long.MAX_VALUE).tolerating(Duration.ofDays(1).toNanos());
    private final List<Long> pauses = new ArrayList<>();
    private final Pause pause = nanos -> {
        pauses.add(nanos);
        time.pass(Duration.ofNanos(nanos));
    };

    @AfterEach
    void close() {
        Thread.interrupted();
    }

    private Failing fromNow() {
        return new Failing(time.nanos(), StoreSpy.unreachable());
    }

    private static Supplier<Failing> since(Failing failing) {
        return () -> failing;
    }

    private Duration rested(Outages.Turn place) throws InterruptedException {
        pauses.clear();
        assertThat(Parked.await(place, unlimited, this::fromNow, pause, true)).isTrue();
        assertThat(pauses).hasSizeLessThanOrEqualTo(1);
        return Duration.ofNanos(pauses.stream().mapToLong(Long::longValue).sum());
    }

    private static Duration ms(long millis) {
        return Duration.ofMillis(millis);
    }

    /** Many times, since the rest is drawn. */
    @RepeatedTest(100)
    void first_rests_for_100_ms_then_twice_as_long_up_to_a_second_and_for_a_half_less_at_random()
            throws InterruptedException {
        try (Outages.Turn place = outages.join(SERVER, true, Parked.currentThread())) {
            for (int most : new int[] {100, 200, 400, 800, 1_000, 1_000}) {
                assertThat(rested(place)).isBetween(ms(most / 2), ms(most));
                place.called(true);
            }
            place.called(false);
            assertThat(rested(place)).isZero();
            place.called(true);
            assertThat(rested(place)).isBetween(ms(50), ms(100));
        }
    }

    @Test
    void first_asks_at_once_where_the_server_has_recovered() throws InterruptedException {
        try (Outages.Turn place = outages.join(SERVER, false, Parked.currentThread())) {
            assertThat(rested(place)).isZero();
        }
    }

    @Test
    void servers_have_queues_of_their_own() throws InterruptedException {
        try (Outages.Turn place = outages.join(SERVER, true, Parked.currentThread());
                Outages.Turn other = outages.join("other", false, Parked.currentThread())) {
            assertThat(rested(other)).isZero();
            assertThat(rested(place)).isPositive();
        }
    }

    @Test
    void queue_that_all_have_left_is_forgotten() throws InterruptedException {
        outages.join(SERVER, true, Parked.currentThread()).close();

        try (Outages.Turn place = outages.join(SERVER, false, Parked.currentThread())) {
            assertThat(rested(place)).isZero();
        }
    }

    @Test
    void wait_ends_with_the_budget() throws InterruptedException {
        try (Outages.Turn place = outages.join(SERVER, true, Parked.currentThread())) {
            Budget short40 =
                    Budget.of(time, ms(40).toNanos()).tolerating(ms(1_000).toNanos());

            assertThat(Parked.await(place, short40, since(fromNow()), pause, true))
                    .isFalse();

            assertThat(pauses).containsExactly(ms(40).toNanos());
        }
    }

    @Test
    void wait_ends_when_the_store_has_failed_for_too_long() throws InterruptedException {
        try (Outages.Turn place = outages.join(SERVER, true, Parked.currentThread())) {
            Budget tolerant = Budget.of(time, Long.MAX_VALUE).tolerating(ms(40).toNanos());

            assertThat(Parked.await(place, tolerant, since(fromNow()), pause, true))
                    .isFalse();

            assertThat(pauses).containsExactly(ms(40).toNanos());
        }
    }

    @Test
    void who_is_not_first_looks_again_whether_the_store_fails_and_for_how_long() throws InterruptedException {
        Budget tolerant =
                Budget.of(time, Long.MAX_VALUE).tolerating(Duration.ofSeconds(5).toNanos());
        AtomicReference<Failing> failing = new AtomicReference<>();
        Pause second = nanos -> {
            pause.pause(nanos);
            if (pauses.size() == 3) {
                failing.set(fromNow());
            }
        };
        try (Outages.Turn first = outages.join(SERVER, false, Parked.currentThread());
                Outages.Turn place = outages.join(SERVER, false, Parked.currentThread())) {
            assertThat(Parked.await(place, tolerant, failing::get, second, true))
                    .isFalse();
        }

        assertThat(pauses).hasSize(3 + 5).containsOnly(Duration.ofSeconds(1).toNanos());
    }

    @Test
    void interrupt_ends_the_wait_or_is_kept_for_later() throws InterruptedException {
        Pause interrupted = nanos -> {
            time.pass(Duration.ofNanos(nanos));
            throw new InterruptedException();
        };
        try (Outages.Turn place = outages.join(SERVER, true, Parked.currentThread())) {
            assertThat(Parked.await(place, unlimited, this::fromNow, interrupted, false))
                    .isTrue();
            assertThat(Thread.interrupted()).isTrue();

            place.called(true);
            assertThatThrownBy(() -> Parked.await(place, unlimited, this::fromNow, interrupted, true))
                    .isInstanceOf(InterruptedException.class);
        }
    }

    @Test
    void wait_that_nobody_interrupts_leaves_no_interrupt_behind() throws InterruptedException {
        try (Outages.Turn place = outages.join(SERVER, true, Parked.currentThread())) {
            rested(place);

            assertThat(Thread.interrupted()).isFalse();
        }
    }

    private CompletableFuture<Boolean> second() {
        CompletableFuture<Boolean> asks = NewThread.start(() -> {
            try (Outages.Turn place = outages.join(SERVER, true, Parked.currentThread())) {
                parked = Thread.currentThread();
                return Parked.await(place, unlimited, this::fromNow, Pause.PARK, true);
            } catch (InterruptedException e) {
                return false;
            }
        });
        Awaitility.await().until(() -> parked != null && parked.getState() == Thread.State.TIMED_WAITING);
        return asks;
    }

    private volatile Thread parked;

    @Test
    void second_asks_when_the_first_has_left_and_its_time_has_come() {
        Outages.Turn first = outages.join(SERVER, true, Parked.currentThread());
        CompletableFuture<Boolean> second = second();
        time.pass(Duration.ofHours(1));
        assertThat(second).isNotDone();

        first.close();

        assertThat(second.orTimeout(1, TimeUnit.MINUTES).join()).isTrue();
    }
}
