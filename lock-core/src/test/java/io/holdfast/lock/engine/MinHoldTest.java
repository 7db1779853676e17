package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A lock that is kept for a minimum time. */
class MinHoldTest extends EngineFixture {

    @Test
    void minimum_hold_keeps_others_out_after_a_short_run() {
        locks.execute(LockRequest.of(KEY).minHold(Duration.ofSeconds(10)), () -> time.pass(Duration.ofSeconds(1)));

        assertThat(locks.tryAcquire(KEY)).isEmpty();
        time.pass(Duration.ofSeconds(9).plusMillis(1));
        assertThat(locks.tryAcquire(KEY)).isPresent();
    }

    @Test
    void minimum_hold_keeps_others_out_after_the_client_was_closed() {
        locks.acquire(LockRequest.of(KEY).minHold(Duration.ofSeconds(10)));
        time.pass(Duration.ofSeconds(1));

        locks.close();

        assertThat(others.tryAcquire(KEY)).isEmpty();
        time.pass(Duration.ofSeconds(9).plusMillis(1));
        assertThat(others.tryAcquire(KEY)).isPresent();
    }

    @Test
    void minimum_hold_makes_the_lease_at_least_as_long() {
        LockHandle handle =
                locks.acquire(LockRequest.of(KEY).lease(Duration.ofSeconds(1)).minHold(Duration.ofMinutes(2)));

        assertThat(handle.remaining()).isEqualTo(Duration.ofMinutes(2));
    }

    private static final Duration LONG = Duration.ofMinutes(10);

    private void assertKept(Duration heldFor) {
        time.pass(LONG.minus(heldFor).minusMillis(1));
        assertThat(others.tryAcquire(KEY)).isEmpty();
        time.pass(Duration.ofMillis(2));
        assertThat(others.tryAcquire(KEY)).isPresent();
    }

    @Test
    void minimum_hold_keeps_others_out_after_its_thread_has_died() throws Exception {
        LockRequest request = LockRequest.of(KEY).minHold(LONG);
        Thread worker = new Thread(() -> locks.getLock(request).lock());
        worker.start();
        worker.join();
        Duration third = LONG.dividedBy(3);
        time.pass(third);

        eventuallyByTheClock(() -> !store.releases.isEmpty());

        assertThat(locks.held()).isEmpty();
        locks.close(); // has done what was begun
        assertKept(third);
    }

    @Test
    void minimum_hold_keeps_others_out_after_its_client_was_closed() {
        locks.acquire(LockRequest.of(KEY).minHold(LONG));
        time.pass(Duration.ofMinutes(1));

        locks.close();

        assertKept(Duration.ofMinutes(1));
    }

    @Test
    void minimum_hold_is_not_prolonged_by_a_release_that_has_to_be_repeated() {
        LockHandle handle = locks.acquire(LockRequest.of(KEY).minHold(LONG));
        store.reachable(false);
        handle.close();
        Awaitility.await().until(() -> store.releases.size() > 1); // and its repetition rests
        time.pass(Duration.ofMinutes(9));
        int failed = store.releases.size();

        store.reachable(true);

        Awaitility.await().until(() -> store.releases.size() > failed);
        locks.close();
        assertKept(Duration.ofMinutes(9));
    }

    @Test
    void single_try_says_for_how_long_the_lock_is_kept_by_its_minimum_hold() {
        locks.execute(LockRequest.of(KEY).minHold(Duration.ofHours(17)), () -> time.pass(Duration.ofMinutes(20)));
        store.before = () -> time.pass(Duration.ofMillis(1));

        LockRequest once = LockRequest.of(KEY).waitFor(Duration.ZERO);

        assertThat(catchThrowable(() -> others.acquire(once)))
                .isInstanceOfSatisfying(
                        LockNotAcquiredException.class,
                        e -> assertThat(e.waitedFor()).isZero())
                .message()
                .matches("Lock 'order:42' was not acquired: it is kept by minHold for another 16 h 40 min after its"
                        + " release by [^ ]+ \\(pid \\d+, thread [^)]+\\)\\.");
        assertThat(catchThrowable(() -> others.tryExecute(once, () -> "never").orElseThrow()))
                .hasMessageContaining("was not acquired: it is kept by minHold");
        assertThat(catchThrowable(() -> others.acquire(once.waitFor(Duration.ofSeconds(5)))))
                .hasMessageStartingWith(
                        "Lock 'order:42' was not acquired within 5 s; kept by minHold for another 16 h");
    }
}
