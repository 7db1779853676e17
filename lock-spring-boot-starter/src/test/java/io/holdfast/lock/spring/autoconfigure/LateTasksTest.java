package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.testing.CapturedLog;
import io.holdfast.lock.threads.Uninterrupted;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.concurrent.ScheduledExecutorFactoryBean;
import org.springframework.scheduling.concurrent.ThreadPoolExecutorFactoryBean;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Executors that Spring waits for when it destroys them, after the phase of locks. */
@Timeout(120)
class LateTasksTest {

    @EnableScheduling
    static class Scheduling {}

    private static ApplicationContextRunner runner(String await) {
        return Runners.inMemory().withPropertyValues("holdfast.shutdown.timeout=" + await);
    }

    private static ThreadPoolTaskExecutor pool() {
        var pool = new ThreadPoolTaskExecutor();
        pool.setWaitForTasksToCompleteOnShutdown(true);
        pool.setAwaitTerminationSeconds(60);
        return pool;
    }

    private static ThreadPoolTaskExecutor accepting() {
        var pool = new ThreadPoolTaskExecutor();
        pool.setAcceptTasksAfterContextClose(true);
        pool.setAwaitTerminationSeconds(60);
        return pool;
    }

    private static ThreadPoolTaskScheduler scheduler() {
        var scheduler = new ThreadPoolTaskScheduler();
        scheduler.setWaitForTasksToCompleteOnShutdown(true);
        scheduler.setAwaitTerminationSeconds(60);
        return scheduler;
    }

    private static SimpleAsyncTaskExecutor simple() {
        var simple = new SimpleAsyncTaskExecutor();
        simple.setTaskTerminationTimeout(60_000);
        return simple;
    }

    private static ThreadPoolExecutorFactoryBean factory() {
        var factory = new ThreadPoolExecutorFactoryBean();
        factory.setWaitForTasksToCompleteOnShutdown(true);
        factory.setAwaitTerminationSeconds(60);
        return factory;
    }

    private static ScheduledExecutorFactoryBean scheduledFactory() {
        var factory = new ScheduledExecutorFactoryBean();
        factory.setWaitForTasksToCompleteOnShutdown(true);
        factory.setAwaitTerminationSeconds(60);
        return factory;
    }

    private static ApplicationContextRunner scheduling(String... properties) {
        return runner("60s")
                .withConfiguration(AutoConfigurations.of(TaskSchedulingAutoConfiguration.class))
                .withUserConfiguration(Scheduling.class)
                .withPropertyValues("spring.task.scheduling.shutdown.await-termination=true")
                .withPropertyValues(properties);
    }

    private static ApplicationContextRunner execution() {
        return runner("60s")
                .withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
                .withPropertyValues("spring.task.execution.shutdown.await-termination=true");
    }

    static Stream<Arguments> executors() {
        String period = "spring.task.scheduling.shutdown.await-termination-period=60s";
        return Stream.of(
                Arguments.of("pool", runner("60s").withBean(ThreadPoolTaskExecutor.class, LateTasksTest::pool)),
                Arguments.of(
                        "accepting", runner("60s").withBean(ThreadPoolTaskExecutor.class, LateTasksTest::accepting)),
                Arguments.of(
                        "scheduler", runner("60s").withBean(ThreadPoolTaskScheduler.class, LateTasksTest::scheduler)),
                Arguments.of("simple", runner("60s").withBean(SimpleAsyncTaskExecutor.class, LateTasksTest::simple)),
                Arguments.of(
                        "factory", runner("60s").withBean(ThreadPoolExecutorFactoryBean.class, LateTasksTest::factory)),
                Arguments.of(
                        "scheduled factory",
                        runner("60s").withBean(ScheduledExecutorFactoryBean.class, LateTasksTest::scheduledFactory)),
                Arguments.of("Boot's scheduler", scheduling()),
                Arguments.of("Boot's scheduler that is awaited", scheduling(period)),
                Arguments.of("Boot's executor", execution()));
    }

    /** The lock that the task holds keeps the shutdown at the phase of locks, so its thread can be seen there. */
    private static void awaitPhaseOfLocks() {
        Awaitility.await()
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .anyMatch(each -> each.getName().equals("holdfast-shutdown")
                                && each.getState() == Thread.State.TIMED_WAITING));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("executors")
    void running_task_may_take_locks_in_the_phase_of_locks(String name, ApplicationContextRunner runner) {
        runner.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            var begun = new CountDownLatch(1);
            var task = new FutureTask<>(() -> locks.execute("held", () -> {
                begun.countDown();
                awaitPhaseOfLocks();
                return locks.execute("late", () -> "worked");
            }));
            context.getBean(Executor.class).execute(task);

            begun.await();
            context.getSourceApplicationContext().close();

            assertThat(task.get()).isEqualTo("worked");
        });
    }

    @Test
    void queued_task_may_take_locks() {
        var one = pool();
        one.setCorePoolSize(1);
        runner("60s").withBean(ThreadPoolTaskExecutor.class, () -> one).run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            var begun = new CountDownLatch(1);
            Future<?> first = one.submit(() -> locks.execute("held", () -> {
                begun.countDown();
                awaitPhaseOfLocks();
                return "worked";
            }));
            Future<String> second = one.submit(() -> locks.execute("late", () -> "worked"));

            begun.await();
            context.getSourceApplicationContext().close();

            assertThat(first.get()).isEqualTo("worked");
            assertThat(second.get()).isEqualTo("worked");
        });
    }

    /** For a moment, a thread has taken its task and not begun it: here until the queue has been looked at twice. */
    @Test
    void task_that_a_thread_has_just_taken_may_take_locks() {
        var looks = new CountDownLatch(2);
        var taken = new CountDownLatch(1);
        var begun = new CountDownLatch(1);
        var slow = new ThreadPoolTaskExecutor() {
            @Override
            protected BlockingQueue<Runnable> createQueue(int capacity) {
                return new LinkedBlockingQueue<>() {
                    @Override
                    public Runnable take() throws InterruptedException {
                        Runnable task = super.take();
                        taken.countDown();
                        Uninterrupted.await(looks, TimeUnit.SECONDS.toNanos(10));
                        return task;
                    }

                    @Override
                    public Runnable peek() {
                        if (taken.getCount() == 0) {
                            looks.countDown();
                        }
                        if (looks.getCount() == 0) { // the next look finds it active
                            Uninterrupted.await(begun, TimeUnit.MINUTES.toNanos(1));
                        }
                        return super.peek();
                    }
                };
            }
        };
        slow.setCorePoolSize(1);
        slow.setWaitForTasksToCompleteOnShutdown(true);
        slow.setAwaitTerminationSeconds(60);
        runner("60s").withBean(ThreadPoolTaskExecutor.class, () -> slow).run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            slow.submit(() -> "the first task of a thread is not taken from the queue");
            Future<String> task = slow.submit(() -> {
                begun.countDown();
                return locks.execute("late", () -> "worked");
            });

            taken.await();
            context.getSourceApplicationContext().close();

            assertThat(task.get()).isEqualTo("worked");
        });
    }

    private static List<String> busy(ApplicationContext context) {
        return LateTasks.await(((ConfigurableApplicationContext) context).getBeanFactory(), System.nanoTime());
    }

    /** Spring cancels it when it destroys its bean. */
    @Test
    void periodic_task_that_goes_on_does_not_keep_the_shutdown() {
        var jobs = scheduler();
        runner("0s").withBean("jobs", ThreadPoolTaskScheduler.class, () -> jobs).run(context -> {
            Duration period = Duration.ofMillis(20);
            jobs.scheduleWithFixedDelay(() -> Uninterrupted.await(new CountDownLatch(1), period.toNanos()), period);
            var beans = ((ConfigurableApplicationContext) context).getBeanFactory();

            assertThat(LateTasks.await(beans, System.nanoTime() + TimeUnit.HOURS.toNanos(1)))
                    .isEmpty();
        });
    }

    @Test
    void task_for_later_does_not_count() {
        var jobs = scheduler();
        jobs.setAwaitTerminationSeconds(0); // Spring would wait for it
        runner("0s").withBean("jobs", ThreadPoolTaskScheduler.class, () -> jobs).run(context -> {
            context.getBean(TaskScheduler.class)
                    .schedule(() -> {}, Instant.now().plusSeconds(100_000));
            Awaitility.await().until(() -> busy(context).isEmpty()); // a thread that starts counts as active
        });
    }

    @Test
    void task_that_is_due_counts_although_no_thread_has_taken_it_yet() {
        var jobs = scheduler();
        jobs.setAwaitTerminationSeconds(0);
        jobs.setThreadFactory(work -> null);
        runner("0s").withBean("jobs", ThreadPoolTaskScheduler.class, () -> jobs).run(context -> {
            context.getBean(TaskScheduler.class).schedule(() -> {}, Instant.now());
            assertThat(busy(context)).containsExactly("jobs");
        });
    }

    static Stream<AsyncTaskExecutor> notLate() {
        var stopped = new ThreadPoolTaskExecutor() {
            @Override
            public boolean isRunning() {
                return false; // as it is after its phase, be its tasks done or not
            }
        };
        var cancelling = new SimpleAsyncTaskExecutor();
        cancelling.setCancelRemainingTasksOnClose(true);
        return Stream.of(stopped, cancelling, new SimpleAsyncTaskExecutor());
    }

    @ParameterizedTest
    @MethodSource("notLate")
    void task_that_spring_does_not_wait_for_at_the_end_does_not_count(AsyncTaskExecutor executor) {
        runner("0s").withBean(AsyncTaskExecutor.class, () -> executor).run(context -> {
            var begun = new CountDownLatch(1);
            var end = new CountDownLatch(1);
            Future<?> task = executor.submit(() -> {
                begun.countDown();
                end.await();
                return null;
            });
            begun.await();
            assertThat(busy(context)).isEmpty();
            end.countDown();
            task.get();
        });
    }

    @Test
    void tasks_that_outlast_the_time_are_told_in_one_line() {
        var end = new CountDownLatch(1);
        try (CapturedLog log = new CapturedLog(LockShutdown.class.getName(), Level.INFO)) {
            var none = pool();
            none.setAwaitTerminationSeconds(0);
            var task = new CompletableFuture<String>();
            runner("1ms")
                    .withBean("workers", ThreadPoolTaskExecutor.class, () -> none)
                    .run(context -> {
                        var begun = new CountDownLatch(1);
                        none.execute(() -> {
                            begun.countDown();
                            Awaitility.await().until(() -> end.getCount() == 0);
                            task.complete("ended");
                        });
                        begun.await();
                        context.getSourceApplicationContext().close();
                        end.countDown();
                    });
            assertThat(task.join()).isEqualTo("ended");
            assertThat(log.events())
                    .filteredOn(event -> event.getLevel() == Level.WARN)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .containsExactly("Executors are still running tasks, which can no longer acquire locks: workers."
                            + " Tasks can acquire locks until holdfast.shutdown.timeout (1 ms) has passed since the"
                            + " beginning of the shutdown.");
        }
    }
}
