package io.holdfast.lock.spring.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnContention;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class StageTest {

    static class Service {

        @DistributedLock(key = "'stage'", waitFor = 0)
        public CompletableFuture<String> future(CompletableFuture<String> work) {
            return work;
        }

        @DistributedLock(key = "'stage'", waitFor = 0)
        public CompletionStage<String> failing() {
            throw new IllegalArgumentException("own");
        }

        @DistributedLock(key = "'stage'", waitFor = 0, onContention = OnContention.SKIP)
        public CompletableFuture<String> skipping(CompletableFuture<String> work) {
            return work;
        }
    }

    private interface Body {
        void run(Service service, LockTemplate locks) throws Exception;
    }

    private static void inContext(Body body) {
        Runners.inMemory()
                .withBean(Service.class)
                .run(context -> body.run(context.getBean(Service.class), context.getBean(LockTemplate.class)));
    }

    private static boolean isHeld(LockTemplate locks) {
        return locks.inspect("stage").holder().isPresent();
    }

    @Test
    void lock_is_held_after_the_method_returned() {
        inContext((service, locks) -> {
            var pending = service.future(new CompletableFuture<>());
            assertThat(pending).isNotDone();
            assertThat(isHeld(locks)).isTrue();
        });
    }

    @Test
    void lock_is_released_before_the_callers_future_completes() {
        inContext((service, locks) -> {
            var work = new CompletableFuture<String>();
            var seen = service.future(work).thenApply(value -> value + isHeld(locks));
            work.complete("done, held: ");
            assertThat(seen.get()).isEqualTo("done, held: false");
        });
    }

    @Test
    void pending_stage_is_no_reentry_for_its_thread() {
        inContext((service, locks) -> {
            var pending = service.future(new CompletableFuture<>());
            assertThat(pending).isNotDone();
            assertThatThrownBy(() -> service.future(new CompletableFuture<>()))
                    .isInstanceOf(LockNotAcquiredException.class)
                    .hasMessageContaining("Service.future");
        });
    }

    @Test
    void skipped_call_returns_a_completed_future() {
        inContext((service, locks) -> {
            var pending = service.future(new CompletableFuture<>());
            assertThat(pending).isNotDone();
            assertThat(service.skipping(new CompletableFuture<>()).get()).isNull();
        });
    }

    @Test
    void failed_stage_releases_the_lock_and_keeps_its_failure() {
        inContext((service, locks) -> {
            var work = new CompletableFuture<String>();
            var seen = service.future(work);
            work.completeExceptionally(new IllegalArgumentException("own"));
            assertThatThrownBy(seen::get).cause().isInstanceOf(IllegalArgumentException.class);
            assertThat(isHeld(locks)).isFalse();
        });
    }

    @Test
    void method_that_throws_releases_the_lock() {
        inContext((service, locks) -> {
            assertThatThrownBy(service::failing).isInstanceOf(IllegalArgumentException.class);
            assertThat(isHeld(locks)).isFalse();
        });
    }

    @Test
    void method_that_returns_null_releases_the_lock() {
        inContext((service, locks) -> {
            assertThat(service.future(null)).isNull();
            assertThat(isHeld(locks)).isFalse();
        });
    }

    @Test
    void lost_lock_completes_the_future_exceptionally() {
        inContext((service, locks) -> {
            var work = new CompletableFuture<String>();
            var seen = service.future(work);
            locks.forceRelease("stage");
            work.complete("done");
            assertThatThrownBy(seen::get).cause().isInstanceOf(LockLostException.class);
        });
    }

    @Test
    void lost_lock_has_the_failure_of_the_work_inside() {
        inContext((service, locks) -> {
            var work = new CompletableFuture<String>();
            var own = new IllegalArgumentException("own");
            var seen = service.future(work);
            locks.forceRelease("stage");
            work.completeExceptionally(own);
            assertThatThrownBy(seen::get)
                    .cause()
                    .isInstanceOf(LockLostException.class)
                    .satisfies(lost -> assertThat(lost.getSuppressed()).contains(own));
        });
    }

    @Test
    void cancelling_the_callers_future_cancels_the_work() {
        inContext((service, locks) -> {
            var work = new CompletableFuture<String>();
            service.future(work).cancel(true);
            assertThat(work).isCancelled();
        });
    }

    @Test
    void lock_is_not_released_on_the_thread_that_completes_the_work() {
        inContext((service, locks) -> {
            var work = new CompletableFuture<String>();
            var releasing = new AtomicReference<Thread>();
            var seen = service.future(work).whenComplete((value, failure) -> releasing.set(Thread.currentThread()));
            work.complete("done");
            seen.get(30, TimeUnit.SECONDS);
            assertThat(releasing.get()).isNotSameAs(Thread.currentThread());
        });
    }

    static class Hidden {
        @DistributedLock(key = "'hidden'")
        public Object stage() {
            return new CompletableFuture<String>();
        }
    }

    @Test
    void future_behind_a_wider_return_type_is_refused() {
        Runners.inMemory()
                .withBean(Hidden.class)
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(Hidden.class).stage())
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll("Hidden.stage", "Declare"));
    }

    /** Says nobody when it is complete. */
    private static final class Refusing extends CompletableFuture<String> {

        private final Throwable refusal;

        Refusing(Throwable refusal) {
            this.refusal = refusal;
        }

        @Override
        public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
            throw StageTest.<RuntimeException>unchecked(refusal);
        }

        @Override
        public CompletableFuture<String> whenCompleteAsync(
                BiConsumer<? super String, ? super Throwable> action, Executor executor) {
            throw StageTest.<RuntimeException>unchecked(refusal);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E unchecked(Throwable failure) throws E {
        throw (E) failure;
    }

    @ParameterizedTest
    @ValueSource(classes = {UnsupportedOperationException.class, AssertionError.class, IOException.class})
    void stage_that_accepts_no_dependents_fails_the_call_and_releases_the_lock(Class<? extends Throwable> kind) {
        inContext((service, locks) -> {
            var seen = service.future(new Refusing(kind.getDeclaredConstructor().newInstance()));

            assertThatThrownBy(() -> seen.get(30, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("The lock was released although its work may still be running, because "
                            + Refusing.class.getName()
                            + " accepts no dependents. Return a CompletableFuture instead.")
                    .hasRootCauseInstanceOf(kind);
            assertThat(isHeld(locks)).isFalse();
        });
    }
}
