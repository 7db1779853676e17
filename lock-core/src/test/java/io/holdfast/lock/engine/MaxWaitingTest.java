package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.api.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A line for one lock that is only so long. The waiters of shared and of fair locks do not stand at the line. */
@Timeout(120)
class MaxWaitingTest extends ThreadsFixture {

    private static final LockRequest SHORT_LINE = REQUEST.maxWaiting(2);

    private static LockRequest of(String kind, LockRequest request) {
        return switch (kind) {
            case "fair" -> request.fair(true);
            case "semaphore" -> request.shared(1);
            default -> request;
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"unfair", "fair", "semaphore"})
    void one_call_more_than_may_wait_is_refused_at_once_and_leaves_nothing_behind(String kind) {
        LockHandle held = others.acquire(of(kind, LockRequest.of(KEY)));
        Future<LockHandle> first = waiting(locks, of(kind, SHORT_LINE));
        Future<LockHandle> second = waiting(locks, of(kind, SHORT_LINE));
        int known = waiters();

        Future<LockHandle> third = worker().acquire(locks, of(kind, SHORT_LINE));

        assertThat(failure(third))
                .isInstanceOf(LockOverloadException.class)
                .hasMessageContaining("'order:42'")
                .hasMessageContaining("2 calls")
                .hasMessageContaining("maxWaiting");
        assertThat(waiters()).isEqualTo(known);
        assertThat(locks.waiting()).hasSize(2);
        held.close();
        get(first).close();
        get(second).close();
        assertThat(isFree()).isTrue();
    }

    @Test
    void one_that_may_wait_alone_finds_the_lock_taken_and_is_refused_only_if_another_one_waits() {
        LockHandle held = others.acquire(KEY);
        LockRequest alone = REQUEST.maxWaiting(1);
        Future<LockHandle> first = waiting(locks, alone);

        assertThat(failure(worker().acquire(locks, alone))).isInstanceOf(LockOverloadException.class);
        assertThat(failure(waiting(others, alone.waitFor(Duration.ZERO)))).isInstanceOf(LockNotAcquiredException.class);
        Future<LockHandle> elsewhere = waiting(others, alone);

        held.close();
        get(first).close();
        get(elsewhere).close();
    }

    @Test
    void place_in_the_line_is_free_again_when_a_wait_is_over() {
        LockHandle held = others.acquire(KEY);
        Worker impatient = worker();
        Future<LockHandle> interrupted = waiting(impatient, locks, SHORT_LINE);
        Future<LockHandle> timedOut = waiting(locks, SHORT_LINE.waitFor(Duration.ofSeconds(1)));
        assertThat(failure(worker().acquire(locks, SHORT_LINE))).isInstanceOf(LockOverloadException.class);

        impatient.interrupt();
        failure(interrupted);
        time.pass(Duration.ofSeconds(2));
        failure(timedOut);

        Future<LockHandle> one = waiting(locks, SHORT_LINE);
        Future<LockHandle> another = waiting(locks, SHORT_LINE);
        assertThat(failure(worker().acquire(locks, SHORT_LINE))).isInstanceOf(LockOverloadException.class);
        held.close();
        get(one).close();
        get(another).close();
    }

    @Test
    void lines_of_other_keys_and_calls_that_set_no_limit_do_not_matter() {
        LockHandle held = others.acquire(LockRequest.ofAll(List.of(KEY, "order:43")));
        Future<LockHandle> first = waiting(locks, SHORT_LINE);
        Future<LockHandle> second = waiting(locks, SHORT_LINE);

        Future<LockHandle> third = waiting(locks, REQUEST);
        Future<LockHandle> other = waiting(locks, SHORT_LINE.keys(List.of(LockKey.of("order:43"))));

        assertThat(locks.waiting()).hasSize(4);
        held.close();
        List.of(first, second, third, other).forEach(each -> get(each).close());
    }

    /** The one that is refused stands in line, and its turn may come in that moment. */
    @Test
    void call_that_is_refused_does_not_keep_those_behind_it_from_their_turn() {
        for (int round = 0; round < 200; round++) {
            LockHandle held = get(worker().acquire(locks, REQUEST));
            Future<LockHandle> first = waiting(locks, REQUEST.maxWaiting(1));
            Future<LockHandle> refused = worker().acquire(locks, REQUEST.maxWaiting(1));
            held.close();
            get(first).close();
            Throwable outcome = outcome(refused);
            assertThat(outcome)
                    .satisfiesAnyOf(
                            none -> assertThat(none).isNull(),
                            failure -> assertThat(failure).isInstanceOf(LockOverloadException.class));
            assertThat(isFree()).isTrue();
        }
    }

    private static Throwable outcome(Future<LockHandle> future) {
        try {
            get(future).close();
            return null;
        } catch (IllegalStateException e) {
            return e.getCause();
        }
    }
}
