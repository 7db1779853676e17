package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.spring.Bystander;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.testing.CapturedLog;
import io.holdfast.lock.testing.NewThread;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** When the application ends, its locks do, one after the other. */
@Timeout(120)
class ShutdownTest {

    private static final Duration LEASE = Duration.ofSeconds(6);

    private final Bystander bystander = new Bystander();
    private final String key = "shutdown-" + UUID.randomUUID();
    private final LockRequest request = LockRequest.of(key).lease(LEASE);

    @AfterEach
    void close() {
        bystander.close();
    }

    /** Calls an action when its phase of the shutdown comes. */
    private record Marker(int phase, Runnable action) implements SmartLifecycle {

        @Override
        public void start() {}

        @Override
        public void stop() {
            action.run();
        }

        @Override
        public boolean isRunning() {
            return true;
        }

        @Override
        public int getPhase() {
            return phase;
        }
    }

    private static CompletableFuture<Void> closing(AssertableApplicationContext context) {
        return NewThread.start(() -> {
            context.getSourceApplicationContext().close();
            return null;
        });
    }

    private static void awaitRefusal(LockTemplate locks) {
        Awaitility.await()
                .until(() -> catchThrowable(() -> locks.tryAcquire("refused?").ifPresent(LockHandle::close))
                        instanceof IllegalStateException);
    }

    @Test
    void holder_is_waited_for_and_renewed_while_new_locks_are_refused() {
        Runners.redis().withPropertyValues("holdfast.shutdown.timeout=20s").run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            LockHandle handle = locks.acquire(request);

            CompletableFuture<Void> closed = closing(context);
            awaitRefusal(locks);
            bystander.awaitRenewals(key, 2);

            assertThat(closed).isNotDone();
            handle.close();
            closed.join();
            assertThat(bystander.holderOf(key)).isEmpty();
        });
    }

    @Test
    void who_outlasts_the_time_is_told_before_connections_stop() {
        AtomicReference<LockEvent.Lost> reported = new AtomicReference<>();
        AtomicReference<LockEvent.Lost> reportedBefore = new AtomicReference<>();
        AtomicReference<Boolean> freeBefore = new AtomicReference<>();
        Marker connectionsStop = new Marker(0, () -> {
            reportedBefore.set(reported.get());
            freeBefore.set(bystander.holderOf(key).isEmpty());
        });
        Runners.redis()
                .withPropertyValues("holdfast.shutdown.timeout=20s")
                .withPropertyValues("holdfast.shutdown.timeout=1ms")
                .withBean(Marker.class, () -> connectionsStop)
                .run(context -> {
                    LockHandle handle = context.getBean(LockTemplate.class).acquire(request);
                    handle.onLost(reported::set);

                    context.getSourceApplicationContext().close();

                    assertThat(reportedBefore.get().cause()).isEqualTo(LossCause.CLOSED);
                    assertThat(freeBefore).hasValue(true);
                    assertThat(handle.isHeld()).isFalse();
                });
    }

    private static final String ENDED = "[INFO] Job.run is skipped at the shutdown: ";

    @EnableScheduling
    static class Job {

        @Scheduled(fixedRate = 1_000_000_000)
        @DistributedLock(name = "shutdown-job", waitFor = DistributedLock.FOREVER)
        public void run() {}
    }

    @ParameterizedTest
    @ValueSource(classes = {ThreadPoolTaskScheduler.class, SimpleAsyncTaskScheduler.class})
    void scheduled_method_that_waits_for_its_lock_ends_with_one_line(Class<? extends TaskScheduler> scheduler) {
        var store = new InMemoryLockStore();
        try (CapturedLog log = new CapturedLog("ROOT", Level.INFO);
                LockEngine other = LockEngine.builder(store).build()) {
            LockHandle held = other.acquire("shutdown-job");
            Runners.starter()
                    .withBean(InMemoryLockStore.class, () -> store)
                    .withBean("taskScheduler", scheduler)
                    .withBean("lifecycleProcessor", DefaultLifecycleProcessor.class, ShutdownTest::impatient)
                    .withBean(Job.class)
                    .run(context -> {
                        LockEngine locks = context.getBean(LockEngine.class);
                        Awaitility.await().until(() -> !locks.waiting().isEmpty());
                        context.getSourceApplicationContext().close();
                        Awaitility.await()
                                .until(() -> log.events().stream()
                                        .anyMatch(
                                                line -> line.getLoggerName().equals(DistributedLock.class.getName())));
                    });
            held.close();
            assertThat(log.events())
                    .noneMatch(line -> line.getThrowableProxy() != null || line.getLevel() == Level.ERROR)
                    .filteredOn(line -> line.getLoggerName().equals(DistributedLock.class.getName()))
                    .extracting(ILoggingEvent::toString)
                    .singleElement()
                    .isIn(
                            ENDED + "The lock client is closed; no lock can be acquired",
                            ENDED + "Interrupted while waiting for lock 'shutdown-job'.");
        }
    }

    /** Does not wait for tasks, as a process that runs out of time. */
    private static DefaultLifecycleProcessor impatient() {
        var processor = new DefaultLifecycleProcessor();
        processor.setTimeoutPerShutdownPhase(1);
        return processor;
    }

    @Test
    void time_is_counted_from_the_beginning_of_the_end_and_what_is_held_is_told() {
        Marker slow = new Marker(Integer.MAX_VALUE, () -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20)));
        try (CapturedLog log = new CapturedLog(LockShutdown.class.getName(), Level.INFO)) {
            Runners.inMemory()
                    .withPropertyValues("holdfast.shutdown.timeout=1ms")
                    .withBean(Marker.class, () -> slow)
                    .run(context -> {
                        context.getBean(LockTemplate.class).acquire(request).detach();
                        context.getSourceApplicationContext().close();
                    });
            assertThat(log.events())
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .anyMatch(line -> line.contains("waiting up to 0 ms for their release: [" + key + "]"));
        }
    }

    @Test
    void task_that_its_executor_lets_finish_may_take_locks() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch executorsStop = new CountDownLatch(1);
        Marker marker = new Marker(ExecutorConfigurationSupport.DEFAULT_PHASE, executorsStop::countDown);
        Runners.inMemory()
                .withPropertyValues("holdfast.shutdown.timeout=20s")
                .withBean(ThreadPoolTaskExecutor.class)
                .withBean(Marker.class, () -> marker)
                .run(context -> {
                    LockTemplate locks = context.getBean(LockTemplate.class);
                    Future<String> task = context.getBean(ThreadPoolTaskExecutor.class)
                            .submit(() -> {
                                begun.countDown();
                                executorsStop.await();
                                return locks.execute(key, () -> "worked");
                            });

                    begun.await();
                    context.getSourceApplicationContext().close();

                    assertThat(task.get()).isEqualTo("worked");
                });
    }

    @Test
    void locks_outlive_a_stop_and_a_restart_of_the_context() {
        Runners.inMemory().withPropertyValues("holdfast.shutdown.timeout=20s").run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            LockHandle handle = locks.acquire(key);

            context.getSourceApplicationContext().stop();
            assertThat(locks.tryAcquire("while it is stopped")).isPresent();
            context.getSourceApplicationContext().start();
            context.getSourceApplicationContext().restart();
            context.getSourceApplicationContext().pause();
            assertThat(locks.tryAcquire("while it is paused")).isPresent();

            assertThat(handle.isHeld()).isTrue();
        });
    }

    @Test
    void holder_is_waited_for_when_a_stopped_context_is_closed() {
        Runners.redis().withPropertyValues("holdfast.shutdown.timeout=20s").run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            LockHandle handle = locks.acquire(request);
            context.getSourceApplicationContext().stop();

            CompletableFuture<Void> closed = closing(context);
            awaitRefusal(locks);
            bystander.awaitRenewals(key, 1);

            assertThat(closed).isNotDone();
            handle.close();
            closed.join();
        });
    }

    @Test
    void end_of_a_child_context_is_not_the_end_of_its_parents_locks() {
        Runners.inMemory().run(context -> {
            Runners.starter().withParent(context).run(child -> assertThat(child).hasNotFailed());
            context.getSourceApplicationContext().stop();

            assertThat(context.getBean(LockTemplate.class).tryAcquire(key)).isPresent();
        });
    }

    @Test
    void client_of_the_applications_own_is_waited_for_too() {
        Runners.starter()
                .withPropertyValues("holdfast.shutdown.timeout=20s")
                .withBean(
                        "own",
                        LockTemplate.class,
                        () -> LockEngine.builder(new InMemoryLockStore()).build())
                .run(context -> {
                    LockTemplate locks = context.getBean(LockTemplate.class);
                    LockHandle handle = locks.acquire(key);

                    CompletableFuture<Void> closed = closing(context);
                    awaitRefusal(locks);

                    assertThat(handle.isHeld()).isTrue();
                    handle.close();
                    closed.join();
                });
    }

    @Test
    void holder_is_waited_for_even_if_events_are_delivered_late() {
        SimpleApplicationEventMulticaster late = new SimpleApplicationEventMulticaster();
        late.setTaskExecutor(task -> {}); // the executor is busy
        Runners.inMemory()
                .withPropertyValues("holdfast.shutdown.timeout=20s")
                .withBean(
                        AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME,
                        ApplicationEventMulticaster.class,
                        () -> late)
                .run(context -> {
                    LockTemplate locks = context.getBean(LockTemplate.class);
                    LockHandle handle = locks.acquire(key);

                    CompletableFuture<Void> closed = closing(context);
                    awaitRefusal(locks);

                    assertThat(handle.isHeld()).isTrue();
                    handle.close();
                    closed.join();
                });
    }

    @Test
    void lazy_client_is_not_made_in_order_to_be_closed() {
        AtomicReference<Boolean> made = new AtomicReference<>(false);
        Runners.starter()
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withBean(InMemoryLockStore.class, () -> {
                    made.set(true);
                    return new InMemoryLockStore();
                })
                .run(context -> context.getSourceApplicationContext().close());

        assertThat(made).hasValue(false);
    }

    @Test
    void time_that_makes_no_sense_fails_the_start() {
        Runners.inMemory()
                .withPropertyValues("holdfast.shutdown.timeout=20s")
                .withPropertyValues("holdfast.shutdown.timeout=-1s")
                .run(context ->
                        assertThat(Startup.failureOf(context)).contains("holdfast.shutdown.timeout", "0s to 1d"));
    }
}
