package io.holdfast.lock.spring.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnContention;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Publisher;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Reactive types beside Mono and Flux. */
@Timeout(60)
class OtherPublishersTest {

    static class Service {

        LockTemplate locks;

        Service(LockTemplate locks) {
            this.locks = locks;
        }

        private boolean isHeld() {
            return locks.inspect("other").holder().isPresent();
        }

        @DistributedLock(key = "'other'")
        public Single<Boolean> single() {
            return Single.fromCallable(this::isHeld);
        }

        @DistributedLock(key = "'other'")
        public Flowable<Boolean> flowable() {
            return Flowable.fromCallable(this::isHeld).repeat(2);
        }

        @DistributedLock(key = "'other'")
        public Completable completable(AtomicBoolean held) {
            return Completable.fromAction(() -> held.set(isHeld()));
        }

        @DistributedLock(key = "'other'", waitFor = 0, onContention = OnContention.SKIP)
        public Maybe<Boolean> maybe() {
            return Maybe.fromCallable(this::isHeld);
        }

        @DistributedLock(key = "'other'")
        public Publisher<Boolean> publisher() {
            return Mono.fromCallable(this::isHeld);
        }

        @DistributedLock(key = "'other'")
        public Flow.Publisher<Boolean> flowPublisher() {
            return JdkFlowAdapter.publisherToFlowPublisher(Mono.fromCallable(this::isHeld));
        }
    }

    private interface Body {
        void run(Service service) throws Exception;
    }

    private static void inContext(Body body) {
        Runners.inMemory().withBean(Service.class).run(context -> {
            Service service = context.getBean(Service.class);
            body.run(service);
            LockTemplate locks = context.getBean(LockTemplate.class);
            assertThat(locks.inspect("other").holder()).isEmpty();
        });
    }

    @Test
    void single_runs_under_the_lock() {
        inContext(service -> assertThat(service.single().blockingGet()).isTrue());
    }

    @Test
    void flowable_runs_under_the_lock() {
        inContext(
                service -> assertThat(service.flowable().toList().blockingGet()).containsExactly(true, true));
    }

    @Test
    void completable_runs_under_the_lock() {
        inContext(service -> {
            var held = new AtomicBoolean();
            Completable result = service.completable(held);
            assertThat(held).isFalse();
            result.blockingAwait();
            assertThat(held).isTrue();
        });
    }

    @Test
    void maybe_runs_under_the_lock() {
        inContext(service -> assertThat(service.maybe().blockingGet()).isTrue());
    }

    @Test
    void skipped_maybe_is_empty() {
        Runners.inMemory().withBean(Service.class).run(context -> {
            try (LockHandle other =
                    context.getBean(LockTemplate.class).acquire("other").detach()) {
                assertThat(context.getBean(Service.class).maybe().isEmpty().blockingGet())
                        .isTrue();
            }
        });
    }

    @Test
    void plain_publisher_runs_under_the_lock() {
        inContext(service ->
                assertThat(Flux.from(service.publisher()).collectList().block()).containsExactly(true));
    }

    @Test
    void publisher_of_the_jdk_runs_under_the_lock() {
        inContext(service -> assertThat(JdkFlowAdapter.flowPublisherToFlux(service.flowPublisher())
                        .collectList()
                        .block())
                .containsExactly(true));
    }
}
