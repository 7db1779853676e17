package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.lock.api.Blockage;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.spring.aop.Annotated.Contended;
import io.holdfast.lock.spring.transaction.CallerTransactions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

class ContentionTest {

    private final ApplicationContextRunner runner = Runners.inMemory().withBean(Contended.class);

    private interface Body {
        void run(Contended bean, ApplicationContext context) throws Exception;
    }

    /** Somebody else, a detached handle, holds the key. */
    private void whileHeld(ApplicationContextRunner application, Body body) {
        application.run(context -> {
            try (LockHandle other =
                    context.getBean(LockTemplate.class).acquire("contended").detach()) {
                body.run(context.getBean(Contended.class), context);
            }
        });
    }

    @Test
    void exception_names_method_key_and_holder() {
        whileHeld(
                runner,
                (bean, context) -> assertThatThrownBy(bean::throwing)
                        .isInstanceOf(LockNotAcquiredException.class)
                        .hasMessageContainingAll(
                                "'contended'", "for Contended.throwing", "held by", "left on its lease"));
    }

    @Test
    void skipped_method_returns_null() {
        whileHeld(runner, (bean, context) -> assertThat(bean.skipping()).isNull());
    }

    @Test
    void skipped_method_returns_an_empty_optional() {
        whileHeld(runner, (bean, context) -> assertThat(bean.skippingOptional()).isEmpty());
    }

    abstract static class Job<T> {
        @DistributedLock(key = "'contended'", waitFor = 0, onContention = OnContention.SKIP)
        public T run() {
            throw new IllegalStateException("not skipped");
        }
    }

    static class OptionalJob extends Job<Optional<String>> {}

    @Test
    void skipped_generic_method_returns_what_it_returns_in_the_class_of_the_bean() {
        whileHeld(
                runner.withBean(OptionalJob.class),
                (bean, context) ->
                        assertThat(context.getBean(OptionalJob.class).run()).isEmpty());
    }

    @Test
    void free_lock_is_not_skipped() {
        runner.run(context ->
                assertThat(context.getBean(Contended.class).skipping()).isEqualTo("ran"));
    }

    @Test
    void contention_inside_the_method_is_not_skipped() {
        var nested = new LockNotAcquiredException(null, LockKey.of("inner"), Duration.ZERO, null, Blockage.UNKNOWN);
        runner.run(context -> assertThatThrownBy(
                        () -> context.getBean(Contended.class).skippingWork(() -> {
                            throw nested;
                        }))
                .isSameAs(nested));
    }

    @Test
    void failure_of_the_store_inside_the_method_is_not_skipped() {
        var failure = new LockStoreException("down", null, false);
        runner.run(context -> assertThatThrownBy(
                        () -> context.getBean(Contended.class).skippingWork(() -> {
                            throw failure;
                        }))
                .isSameAs(failure));
    }

    static class Joining {

        private int calls;

        @DistributedLock(key = "'contended'")
        public void run() {
            calls++;
        }

        @DistributedLock(key = "'contended'")
        public CompletableFuture<Integer> start() {
            return CompletableFuture.completedFuture(calls++);
        }

        public int calls() {
            return calls;
        }
    }

    @Test
    void method_does_not_run_if_what_keeps_its_lock_until_the_end_of_the_transaction_fails() {
        var failure = new LockStoreException("down", null, false);
        CallerTransactions failing = (invocation, caller, request, locks) -> {
            throw failure;
        };
        runner.withBean(Joining.class)
                .withBean(CallerTransactions.class, () -> failing, definition -> definition.setPrimary(true))
                .run(context -> {
                    Joining bean = context.getBean(Joining.class);
                    assertThatThrownBy(bean::run).isSameAs(failure);
                    assertThatThrownBy(bean::start).isSameAs(failure);
                    assertThat(bean.calls()).isZero();
                    context.getBean(LockTemplate.class).acquire("contended").close();
                });
    }

    @Test
    void waiting_limit_is_the_property_where_the_annotation_says_nothing() {
        whileHeld(runner.withPropertyValues("holdfast.wait-for=20ms"), (bean, context) -> {
            var refused = catchThrowableOfType(LockNotAcquiredException.class, bean::waitingAsConfigured);
            assertThat(refused.waitedFor()).isGreaterThanOrEqualTo(Duration.ofMillis(20));
        });
    }

    @Test
    void missing_store_is_an_error_that_says_what_to_add_and_is_not_skipped() {
        Runners.partForTest()
                .withBean(Contended.class)
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(Contended.class).skipping())
                        .isInstanceOf(LockConfigurationException.class)
                        .hasMessageContaining("@AutoConfigureTestLocks"));
    }
}
