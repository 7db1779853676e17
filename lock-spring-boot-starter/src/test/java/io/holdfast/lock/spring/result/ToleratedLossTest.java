package io.holdfast.lock.spring.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.LockContext;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnLost;
import io.holdfast.lock.testing.CapturedLog;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Methods whose annotation says that their result stands, although the lock was lost. */
@Timeout(60)
class ToleratedLossTest {

    /** Time for a stream to be ended, if it were. */
    private static final Duration PAUSE = Duration.ofMillis(300);

    static class Tolerant {

        final CompletableFuture<String> known = new CompletableFuture<>();

        @DistributedLock(key = "'result'", lease = 1, onLost = OnLost.LOG)
        public Mono<String> mono(Supplier<Mono<String>> work) {
            return work.get();
        }

        @DistributedLock(key = "'result'", lease = 1, onLost = OnLost.LOG)
        public Flux<Integer> flux(Supplier<Flux<Integer>> work) {
            LockContext.current()
                    .orElseThrow()
                    .onLost(loss -> known.complete(loss.key().toString()));
            return work.get();
        }

        @DistributedLock(key = "'result'", lease = 1, onLost = OnLost.LOG)
        public CompletableFuture<String> stage(Supplier<CompletableFuture<String>> work) {
            return work.get();
        }

        public CompletableFuture<String> known() {
            return known;
        }
    }

    private interface Body {
        void run(Tolerant service, LockTemplate locks) throws Exception;
    }

    private static long losses(Body body) {
        try (CapturedLog log = new CapturedLog(DistributedLock.class.getName(), Level.WARN)) {
            Runners.inMemory()
                    .withBean(Tolerant.class)
                    .run(context -> body.run(context.getBean(Tolerant.class), context.getBean(LockTemplate.class)));
            return log.events().stream()
                    .filter(each -> each.getFormattedMessage().contains("ended after its lock was lost"))
                    .count();
        }
    }

    private static void withOneLoss(Body body) {
        assertThat(losses(body)).isEqualTo(1);
    }

    private static <T> T lost(LockTemplate locks, T value) {
        locks.forceRelease(Results.KEY);
        return value;
    }

    @Test
    void value_of_a_mono_stands() {
        withOneLoss((service, locks) -> StepVerifier.create(
                        service.mono(() -> Mono.fromSupplier(() -> lost(locks, "done"))))
                .expectNext("done")
                .verifyComplete());
    }

    @Test
    void failure_of_a_mono_stands() {
        withOneLoss((service, locks) -> StepVerifier.create(service.mono(
                        () -> Mono.defer(() -> Mono.error(lost(locks, new IOException("own"))))))
                .verifyError(IOException.class));
    }

    /** The holder learns of the loss at a renewal, while the stream goes on. */
    @Test
    void stream_goes_on() {
        withOneLoss((service, locks) -> StepVerifier.create(service.flux(() -> Flux.just(1)
                        .doOnNext(each -> lost(locks, each))
                        .concatWith(Mono.fromFuture(service.known())
                                .then(Mono.delay(PAUSE))
                                .thenReturn(2))))
                .expectNext(1, 2)
                .verifyComplete());
    }

    @Test
    void value_of_a_stage_stands() {
        withOneLoss((service, locks) -> {
            CompletableFuture<String> result =
                    service.stage(() -> CompletableFuture.completedFuture(lost(locks, "done")));
            assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("done");
        });
    }

    @Test
    void failure_of_a_stage_stands() {
        withOneLoss((service, locks) -> {
            CompletableFuture<String> result =
                    service.stage(() -> CompletableFuture.failedFuture(lost(locks, new IOException("own"))));
            assertThatThrownBy(() -> result.get(30, TimeUnit.SECONDS)).cause().isInstanceOf(IOException.class);
        });
    }

    @Test
    void loss_that_the_work_finds_is_not_tolerated() {
        assertThat(losses((service, locks) -> assertThatThrownBy(() -> service.stage(() -> {
                            locks.forceRelease(Results.KEY);
                            LockContext.current().orElseThrow().extend(Duration.ofSeconds(9));
                            return CompletableFuture.completedFuture("not reached");
                        }))
                        .isInstanceOf(LockLostException.class)))
                .isZero();
    }

    @Test
    void null_instead_of_a_stage_stands() {
        withOneLoss((service, locks) ->
                assertThat(service.stage(() -> lost(locks, null))).isNull());
    }
}
