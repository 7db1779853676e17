package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.api.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The store answers none of the calls that are under way, and all threads that acquire for {@code executeAsync} wait for it. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class LateTasksTest extends EngineFixture {

    private static final int THREADS = 6;
    private static final LockRequest SHORT = LockRequest.of(KEY).waitFor(Duration.ofMillis(100));
    private static final LockRequest LONG = LockRequest.of(KEY).waitFor(Duration.ofHours(1));

    private final CountDownLatch answered = new CountDownLatch(1);
    private final CountDownLatch blocked = new CountDownLatch(THREADS);
    private List<CompletableFuture<String>> blocking = List.of();

    private void blockAllThreads() {
        store.beforeAcquire = () -> {
            blocked.countDown();
            try {
                answered.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
        blocking = IntStream.range(0, THREADS)
                .mapToObj(i -> begin(LockRequest.of("blocking:" + i).waitFor(Duration.ofHours(1))))
                .toList();
        Awaitility.await().until(() -> blocked.getCount() == 0);
    }

    private CompletableFuture<String> begin(LockRequest request) {
        return locks.executeAsync(request, lock -> CompletableFuture.completedFuture("done"));
    }

    private void answer() {
        answered.countDown();
        blocking.forEach(each -> each.orTimeout(1, TimeUnit.MINUTES).join());
    }

    private boolean isAskedFor(String key) {
        return store.acquires.stream().anyMatch(request -> request.key().value().equals(key));
    }

    static Stream<LockRequest> requests() {
        return Stream.of(SHORT, SHORT.fair(true), SHORT.shared(3), LockRequest.ofAll(List.of("a", KEY)))
                .map(request -> request.waitFor(Duration.ofMillis(100)));
    }

    @ParameterizedTest
    @MethodSource("requests")
    void call_whose_time_is_long_over_fails_and_does_not_ask(LockRequest request) {
        blockAllThreads();
        CompletableFuture<String> late = begin(request);
        time.pass(Duration.ofSeconds(1));

        answer();

        assertThatThrownBy(() -> late.get(1, TimeUnit.MINUTES))
                .hasCauseInstanceOf(LockOverloadException.class)
                .hasMessageContaining("not requested within its waitFor")
                .hasMessageContaining("were busy for 1 s with calls");
        assertThat(isAskedFor(KEY)).isFalse();
        assertThat(store.joint).isEmpty();
        assertThat(locks.tryAcquire(KEY)).isPresent();
    }

    @Test
    void those_behind_it_in_line_are_served() {
        blockAllThreads();
        CompletableFuture<String> late = begin(SHORT);
        CompletableFuture<String> next = begin(LONG);
        time.pass(Duration.ofSeconds(1));

        answer();

        assertThat(next.orTimeout(1, TimeUnit.MINUTES).join()).isEqualTo("done");
        assertThatThrownBy(() -> late.get(1, TimeUnit.MINUTES)).hasCauseInstanceOf(LockOverloadException.class);
    }

    @Test
    void call_that_is_a_little_late_asks_once_more() {
        blockAllThreads();
        CompletableFuture<String> late = begin(SHORT);
        time.pass(Duration.ofMillis(400));

        answer();

        assertThat(late.orTimeout(1, TimeUnit.MINUTES).join()).isEqualTo("done");
    }

    @Test
    void fair_or_shared_call_that_is_cancelled_before_it_has_a_thread_asks_nothing() {
        blockAllThreads();
        begin(LONG.fair(true)).cancel(true);
        begin(LONG.shared(3)).cancel(true);

        answer();
        begin(LockRequest.of("another")).orTimeout(1, TimeUnit.MINUTES).join();

        assertThat(isAskedFor(KEY)).isFalse();
    }
}
