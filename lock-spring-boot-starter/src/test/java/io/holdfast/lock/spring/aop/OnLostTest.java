package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.LockContext;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnLost;
import io.holdfast.lock.testing.NewThread;
import java.lang.reflect.Proxy;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class OnLostTest {

    private static final String LOGGED = "ended after its lock was lost";

    static class Locked {

        @DistributedLock(key = "'lost'")
        public Object throwing(Callable<?> work) throws Exception {
            return work.call();
        }

        @DistributedLock(key = "'lost'", onLost = OnLost.LOG)
        public Object logging(Callable<?> work) throws Exception {
            return work.call();
        }

        @DistributedLock(key = "'lost'", onLost = OnLost.INTERRUPT)
        public Object interrupting(Callable<?> work) throws Exception {
            return work.call();
        }

        @DistributedLock(key = "'lost'", onLost = OnLost.INTERRUPT)
        public CompletableFuture<String> interruptingStage(CompletableFuture<String> stage) {
            return stage;
        }

        @DistributedLock(key = "'lost'", onLost = OnLost.INTERRUPT)
        public CompletionStage<String> interruptingPlainStage(CompletionStage<String> stage) {
            return stage;
        }

        @DistributedLock(key = "'lost'", onLost = OnLost.LOG)
        public CompletableFuture<String> loggingStage(CompletableFuture<String> stage) {
            return stage;
        }
    }

    private final ApplicationContextRunner runner = Runners.inMemory().withBean(Locked.class);

    private interface Body {
        void run(Locked bean, Runnable lose) throws Exception;
    }

    private void inContext(Body body) {
        runner.run(context -> body.run(
                context.getBean(Locked.class),
                () -> context.getBean(LockTemplate.class).forceRelease("lost")));
    }

    @Test
    void loss_is_thrown_unless_told() {
        inContext((bean, lose) -> assertThatThrownBy(() -> bean.throwing(() -> {
                    lose.run();
                    return "done";
                }))
                .isInstanceOf(LockLostException.class));
    }

    @Test
    void loss_has_the_exception_of_the_method_once() {
        var own = new IllegalStateException("own");
        inContext((bean, lose) -> assertThatThrownBy(() -> bean.throwing(() -> {
                    lose.run();
                    throw own;
                }))
                .isInstanceOfSatisfying(
                        LockLostException.class,
                        loss -> assertThat(loss.getSuppressed()).containsExactly(own)));
    }

    @Test
    void loss_interrupts_the_method_where_that_is_asked_for() {
        inContext((bean, lose) -> {
            assertThatThrownBy(() -> bean.interrupting(() -> {
                        var unused = NewThread.start(() -> {
                            lose.run();
                            return "lost";
                        });
                        new CountDownLatch(1).await();
                        return "not reached";
                    }))
                    .isInstanceOfSatisfying(
                            LockLostException.class,
                            loss -> assertThat(loss.getSuppressed())
                                    .hasAtLeastOneElementOfType(InterruptedException.class));
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
    }

    @Test
    void loss_cancels_the_stage_where_that_is_asked_for() {
        inContext((bean, lose) -> {
            CompletableFuture<String> stage = new CompletableFuture<>();
            CompletableFuture<String> result = bean.interruptingStage(stage);
            lose.run();
            assertThatThrownBy(() -> result.get(1, TimeUnit.MINUTES)).hasCauseInstanceOf(LockLostException.class);
            assertThat(stage).isCancelled();
        });
    }

    @Test
    @SuppressWarnings("unchecked")
    void loss_cancels_a_stage_that_is_no_future() {
        inContext((bean, lose) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletionStage<String> stage = (CompletionStage<String>) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {CompletionStage.class},
                    (proxy, method, arguments) -> method.invoke(work, arguments));
            CompletableFuture<String> result =
                    bean.interruptingPlainStage(stage).toCompletableFuture();
            lose.run();
            assertThatThrownBy(() -> result.get(1, TimeUnit.MINUTES)).hasCauseInstanceOf(LockLostException.class);
            assertThat(work).isCancelled();
        });
    }

    @Test
    void logged_loss_leaves_the_result(CapturedOutput output) {
        inContext((bean, lose) -> {
            Object result = bean.logging(() -> {
                lose.run();
                return "done";
            });
            assertThat(result).isEqualTo("done");
            assertThat(output).contains("WARN").contains("Locked.logging " + LOGGED);
        });
    }

    @Test
    void logged_loss_leaves_the_exception_of_the_method(CapturedOutput output) {
        var own = new java.io.IOException("own");
        inContext((bean, lose) -> {
            assertThatThrownBy(() -> bean.logging(() -> {
                        lose.run();
                        throw own;
                    }))
                    .isSameAs(own);
            assertThat(output).contains("Locked.logging " + LOGGED);
        });
    }

    @Test
    void loss_that_the_method_finds_itself_is_thrown_also_where_losses_are_logged() {
        inContext((bean, lose) -> assertThatThrownBy(() -> bean.logging(() -> {
                    lose.run();
                    LockContext.current().orElseThrow().extend(java.time.Duration.ofSeconds(9));
                    return "not reached";
                }))
                .isInstanceOf(LockLostException.class));
    }

    @Test
    void lock_that_is_kept_is_not_logged(CapturedOutput output) {
        inContext((bean, lose) -> {
            assertThat(bean.logging(() -> "done")).isEqualTo("done");
            assertThat(output).doesNotContain(LOGGED);
        });
    }

    @Test
    void logged_loss_leaves_the_value_of_a_stage(CapturedOutput output) {
        inContext((bean, lose) -> {
            CompletableFuture<String> stage = new CompletableFuture<>();
            CompletableFuture<String> result = bean.loggingStage(stage);
            lose.run();
            stage.complete("done");
            assertThat(result.join()).isEqualTo("done");
            assertThat(output).contains("Locked.loggingStage " + LOGGED);
        });
    }
}
