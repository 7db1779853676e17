package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.interceptor.AsyncUncaughtExceptionHandler;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncAnnotationBeanPostProcessor;
import org.springframework.scheduling.annotation.AsyncConfigurer;
import org.springframework.scheduling.annotation.EnableAsync;

/** {@code @Async} and {@code @DistributedLock} on one method. */
@Timeout(60)
class AsyncMethodTest {

    private static final String KEY = "async";

    static class Service {

        @Async
        @DistributedLock(key = "'async'", waitFor = 0)
        public void run(Runnable work) {
            work.run();
        }

        @Async
        @DistributedLock(key = "'async'", waitFor = 0)
        public Future<String> future(Supplier<Future<String>> work) {
            return work.get();
        }

        @Async
        @DistributedLock(key = "'async'", waitFor = 0)
        public CompletableFuture<String> stage(Supplier<CompletableFuture<String>> work) {
            return work.get();
        }
    }

    static class Application implements AsyncConfigurer {

        final BlockingQueue<Throwable> uncaught = new LinkedBlockingQueue<>();

        @Override
        public SimpleAsyncTaskExecutor getAsyncExecutor() {
            return new SimpleAsyncTaskExecutor("worker-");
        }

        @Override
        public AsyncUncaughtExceptionHandler getAsyncUncaughtExceptionHandler() {
            return (failure, method, args) -> uncaught.add(failure);
        }
    }

    @EnableAsync
    static class Usual extends Application {}

    @EnableAsync(order = Integer.MIN_VALUE)
    static class First extends Application {}

    private interface Body {
        void run(Service service, LockTemplate locks, Application application) throws Exception;
    }

    private static void inContext(Body body) {
        in(Runners.inMemory().withUserConfiguration(Usual.class), body);
    }

    private static void in(ApplicationContextRunner application, Body body) {
        application
                .withBean(Service.class)
                .run(context -> body.run(
                        context.getBean(Service.class),
                        context.getBean(LockTemplate.class),
                        context.getBean(Application.class)));
    }

    private static boolean isHeld(LockTemplate locks) {
        return locks.inspect(KEY).holder().isPresent();
    }

    private static String holder(LockTemplate locks) {
        return locks.inspect(KEY).holder().orElseThrow().thread();
    }

    @Test
    void thread_that_works_holds_the_lock() {
        inContext((service, locks, application) -> {
            var holder = new CompletableFuture<String>();
            service.run(() -> holder.complete(holder(locks)));
            assertThat(holder.get(30, TimeUnit.SECONDS)).startsWith("worker-");
            Awaitility.await().until(() -> !isHeld(locks));
        });
    }

    @Test
    void caller_does_not_wait_for_the_lock() {
        inContext((service, locks, application) -> {
            try (LockHandle other = locks.acquire(KEY).detach()) {
                service.run(() -> {});
                assertThat(application.uncaught.poll(30, TimeUnit.SECONDS))
                        .isInstanceOf(LockNotAcquiredException.class);
            }
        });
    }

    @Test
    void contention_fails_the_callers_future() {
        inContext((service, locks, application) -> {
            try (LockHandle other = locks.acquire(KEY).detach()) {
                Future<String> result = service.future(() -> CompletableFuture.completedFuture("never"));
                assertThatThrownBy(() -> result.get(30, TimeUnit.SECONDS))
                        .cause()
                        .isInstanceOf(LockNotAcquiredException.class);
            }
        });
    }

    @Test
    void future_completes_after_the_release() {
        inContext((service, locks, application) -> {
            Future<String> result = service.future(() -> CompletableFuture.completedFuture(holder(locks)));
            assertThat(result.get(30, TimeUnit.SECONDS)).startsWith("worker-");
            assertThat(isHeld(locks)).isFalse();
        });
    }

    @Test
    void lock_is_held_until_the_stage_of_the_method_completes() {
        inContext((service, locks, application) -> {
            var work = new CompletableFuture<String>();
            CompletableFuture<String> result = service.stage(() -> work);
            Awaitility.await().until(() -> isHeld(locks));
            assertThat(result).isNotDone();
            work.complete("done");
            assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("done");
            assertThat(isHeld(locks)).isFalse();
        });
    }

    static class OnlyLocked {
        @DistributedLock(key = "'only-locked'")
        public String run() {
            return "ran";
        }

        @Async
        public void elsewhere() {}
    }

    static class Locked {
        @Async
        @DistributedLock(name = "late")
        public void run() {}
    }

    @DistributedLock(name = "late")
    static class LockedClass {
        @Async
        public CompletableFuture<String> run() {
            return CompletableFuture.completedFuture("ran");
        }
    }

    @Async
    static class AsyncClass {
        @DistributedLock(name = "late")
        public void run() {}
    }

    @EnableAsync
    static class Last {
        /** Appends its advisor to those of an existing proxy. */
        @Bean
        static BeanPostProcessor last(BeanFactory beans) {
            var last = new AsyncAnnotationBeanPostProcessor();
            last.setBeforeExistingAdvisors(false);
            last.setBeanFactory(beans);
            return last;
        }
    }

    private static Stream<Arguments> asynchronousInsideTheLock() {
        return Stream.of(First.class, Last.class)
                .flatMap(order -> Stream.of(Locked.class, LockedClass.class, AsyncClass.class)
                        .map(bean -> Arguments.of(order, bean)));
    }

    @ParameterizedTest
    @MethodSource("asynchronousInsideTheLock")
    void order_in_which_the_work_is_handed_over_inside_the_lock_fails_startup(Class<?> order, Class<?> bean) {
        Runners.inMemory()
                .withUserConfiguration(order)
                .withBean(bean)
                .run(context -> assertThat(Startup.failureOf(context))
                        .isEqualTo("@DistributedLock method " + bean.getName()
                                + ".run() would run outside its lock: @Async starts it on a thread without the lock.\nRemove the order of @EnableAsync, so"
                                + " that the asynchronous thread acquires the lock."));
    }

    @Test
    void locked_methods_beside_asynchronous_ones_do_not_care() {
        Runners.inMemory()
                .withUserConfiguration(First.class)
                .withBean(OnlyLocked.class)
                .run(context ->
                        assertThat(context.getBean(OnlyLocked.class).run()).isEqualTo("ran"));
    }
}
