package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockScanRequest;
import io.holdfast.lock.api.LockStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many threads wait behind a thread of their own process, as this client and others see it. */
@Timeout(120)
class FollowersTest extends ThreadsFixture {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final LockRequest PATIENT =
            LockRequest.of(KEY).waitFor(Duration.ofHours(1)).lease(LEASE);

    private List<Future<LockHandle>> threadsWait(LockEngine client, int count) {
        return IntStream.range(0, count).mapToObj(i -> waiting(client, PATIENT)).toList();
    }

    private static LockStatus status(LockEngine client) {
        return client.scan(LockScanRequest.ALL).locks().stream()
                .filter(lock -> lock.key().equals(LockKey.of(KEY)))
                .findFirst()
                .orElseThrow();
    }

    private static void assertWaiting(LockEngine client, int waiters, Duration longest) {
        assertThat(client.inspect(KEY).waiters()).isEqualTo(waiters);
        assertThat(client.inspect(KEY).longestWait()).isGreaterThanOrEqualTo(longest);
        assertThat(status(client).waiters()).isEqualTo(waiters);
        assertThat(status(client).longestWait()).isGreaterThanOrEqualTo(longest);
    }

    private void end(List<Future<LockHandle>> waiting) {
        waiting.forEach(each -> get(each).close());
    }

    @Test
    void threads_behind_a_stuck_holder_of_the_same_client_are_seen_by_all() {
        LockHandle stuck = locks.acquire(PATIENT);
        List<Future<LockHandle>> waiting = threadsWait(locks, 20);
        time.pass(Duration.ofSeconds(9));
        assertWaiting(locks, 20, Duration.ofSeconds(9));

        time.pass(Duration.ofSeconds(2));
        EngineFixture.eventuallyByTheClock(() -> others.inspect(KEY).waiters() == 20);

        assertWaiting(others, 20, Duration.ofSeconds(11));
        stuck.close();
        end(waiting);
        assertThat(others.inspect(KEY).waiters()).isZero();
    }

    @Test
    void threads_behind_a_waiter_of_the_same_client_are_seen_by_all() {
        LockHandle stuck = others.acquire(PATIENT);
        List<Future<LockHandle>> waiting = threadsWait(locks, 20);
        assertWaiting(locks, 20, Duration.ZERO);
        time.pass(Duration.ofSeconds(1));

        eventually(() -> {
            VirtualTime.keepEntries(locks);
            return thirds.inspect(KEY).waiters() == 20;
        });

        assertWaiting(thirds, 20, Duration.ofSeconds(1));
        stuck.close();
        end(waiting);
        assertThat(thirds.inspect(KEY).waiters()).isZero();
    }

    @Test
    void holder_behind_whom_nobody_waits_any_more_reports_that_too() {
        LockHandle stuck = locks.acquire(PATIENT);
        Worker worker = worker();
        Future<LockHandle> waiting = waiting(worker, locks, PATIENT);
        time.pass(Duration.ofSeconds(11));
        EngineFixture.eventuallyByTheClock(() -> others.inspect(KEY).waiters() == 1);

        worker.interrupt();
        assertThat(failure(waiting)).isNotNull();
        assertThat(others.inspect(KEY).waiters()).isOne();
        time.pass(Duration.ofSeconds(11));

        EngineFixture.eventuallyByTheClock(() -> others.inspect(KEY).waiters() == 0);
        assertThat(others.inspect(KEY).longestWait()).isZero();
        stuck.close();
    }

    @Test
    void readers_and_fair_callers_have_entries_and_count_once() {
        LockHandle stuck = locks.acquire(PATIENT);
        List<Future<LockHandle>> waiting = List.of(
                waiting(locks, PATIENT.shared()), waiting(locks, PATIENT.shared()), waiting(locks, PATIENT.fair(true)));
        time.pass(Duration.ofSeconds(1));

        eventually(() -> {
            VirtualTime.keepEntries(locks);
            return others.inspect(KEY).longestWait().compareTo(Duration.ofSeconds(1)) >= 0;
        });

        assertWaiting(locks, 3, Duration.ofSeconds(1));
        assertWaiting(others, 3, Duration.ofSeconds(1));
        stuck.close();
        end(waiting);
    }
}
