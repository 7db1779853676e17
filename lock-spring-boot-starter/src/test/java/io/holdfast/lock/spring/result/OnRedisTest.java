package io.holdfast.lock.spring.result;

import static io.holdfast.lock.spring.result.Results.KEY;
import static io.holdfast.lock.spring.result.Results.in;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.spring.Runners;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** Reactive results on a server, where acquisition and release really take their time. */
@Timeout(60)
class OnRedisTest {

    private static final ApplicationContextRunner REDIS =
            Runners.redis().withPropertyValues("holdfast.redis.key-prefix=on-redis-test");

    @Test
    void lock_is_held_until_the_publisher_ends() {
        in(REDIS, world -> {
            Sinks.One<String> work = Sinks.one();
            StepVerifier.create(world.service().mono(work::asMono).map(value -> value + ", held: " + world.isHeld()))
                    .then(world::awaitHeld)
                    .then(() -> work.tryEmitValue("done"))
                    .expectNext("done, held: false")
                    .verifyComplete();
        });
    }

    @Test
    void concurrent_subscriptions_exclude_each_other() {
        in(REDIS, world -> {
            var inside = new AtomicInteger();
            var most = new AtomicInteger();
            Mono<String> one = world.service()
                    .waitingMono(() -> Mono.fromCallable(() -> {
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        inside.decrementAndGet();
                        return "done";
                    }));
            Flux.range(0, 20)
                    .flatMap(each -> one, 20)
                    .as(StepVerifier::create)
                    .expectNextCount(20)
                    .verifyComplete();
            assertThat(most).hasValue(1);
        });
    }

    @Test
    void cancel_while_waiting_leaves_no_entry_behind() {
        in(REDIS, world -> {
            try (LockHandle other = world.taken()) {
                Disposable subscription =
                        world.service().waitingMono(() -> Mono.just("never")).subscribe();
                world.awaitWaiter();
                subscription.dispose();
                await().until(() -> world.others().inspect(KEY).waiters() == 0);
            }
        });
    }

    @Test
    void contention_is_an_error() {
        in(REDIS, world -> {
            try (LockHandle other = world.taken()) {
                StepVerifier.create(world.service().mono(() -> Mono.just("never")))
                        .verifyError(LockNotAcquiredException.class);
            }
        });
    }

    @Test
    void loss_ends_a_stream() {
        in(
                REDIS.withPropertyValues("holdfast.lease=1s"),
                world -> StepVerifier.create(
                                world.service().flux(() -> Flux.just(1).concatWith(Flux.never())))
                        .expectNext(1)
                        .then(() -> world.others().forceRelease(KEY))
                        .verifyError(LockLostException.class));
    }
}
