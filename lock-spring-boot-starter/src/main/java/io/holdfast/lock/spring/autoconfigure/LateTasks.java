package io.holdfast.lock.spring.autoconfigure;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.Delayed;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.PropertyAccessor;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * The tasks of executors that Spring awaits only when it destroys the executors, not in a phase of the shutdown: as set by
 * {@code await-termination} in {@code spring.task}. When the phase of locks begins, all other executors have stopped.
 *
 * <p>An executor does not report that it has become idle unless it is shut down, so this class polls. Between two tasks an
 * executor seems idle: its thread is not active, and the task that the thread has just taken is no longer in the queue. So
 * executors are idle once they have seemed so {@value #IDLE_LOOKS} times, not necessarily in a row: periodic tasks go on during the
 * shutdown.
 */
final class LateTasks {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int IDLE_LOOKS = 11;

    private LateTasks() {}

    /** {@return the executors that are still running tasks at the end; returns early once they are idle} */
    static List<String> await(ConfigurableListableBeanFactory beans, long endNanos) {
        for (int idle = 0; ; ) {
            List<String> awaited = awaited(beans);
            List<String> busy = busy(awaited, beans);
            idle += busy.isEmpty() ? 1 : 0;
            boolean isIdle = awaited.isEmpty() || (busy.isEmpty() && idle >= IDLE_LOOKS);
            if (isIdle || endNanos - System.nanoTime() <= 0) {
                return busy;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private static List<String> awaited(ConfigurableListableBeanFactory beans) {
        return Stream.of(ExecutorConfigurationSupport.class, SimpleAsyncTaskExecutor.class)
                .flatMap(type -> Stream.of(beans.getBeanNamesForType(type, true, false)))
                .map(BeanFactoryUtils::transformedBeanName)
                .filter(bean -> beans.containsSingleton(bean) && isAwaited(beans.getSingleton(bean)))
                .toList();
    }

    private static boolean isAwaited(@Nullable Object executor) {
        return executor instanceof ExecutorConfigurationSupport pool
                ? pool.isRunning()
                : executor instanceof SimpleAsyncTaskExecutor simple && threads(simple) != null;
    }

    private static List<String> busy(List<String> executors, ConfigurableListableBeanFactory beans) {
        return executors.stream()
                .filter(each -> isBusy(beans.getSingleton(each), beans.getBean(each)))
                .toList();
    }

    /** @param bean the executor itself, or the pool if the executor is a factory of pools */
    private static boolean isBusy(@Nullable Object executor, Object bean) {
        if (executor instanceof SimpleAsyncTaskExecutor simple) {
            Collection<?> threads = threads(simple);
            return threads != null && !threads.isEmpty();
        }
        return isBusyPool(
                bean instanceof ThreadPoolTaskExecutor tasks
                        ? tasks.getThreadPoolExecutor()
                        : bean instanceof ThreadPoolTaskScheduler scheduler ? scheduler.getScheduledExecutor() : bean);
    }

    /** Tasks that are scheduled for later are not awaited. */
    private static boolean isBusyPool(@Nullable Object pool) {
        return pool instanceof ThreadPoolExecutor executor
                && (executor.getActiveCount() > 0 || isDue(executor.getQueue().peek()));
    }

    private static boolean isDue(@Nullable Runnable next) {
        return next != null && (!(next instanceof Delayed later) || later.getDelay(TimeUnit.NANOSECONDS) <= 0);
    }

    /** {@return its running threads, or null if it does not wait for them: only these fields reveal both} */
    private static @Nullable Collection<?> threads(SimpleAsyncTaskExecutor executor) {
        try {
            PropertyAccessor fields = new DirectFieldAccessor(executor);
            return fields.getPropertyValue("taskTerminationTimeout") instanceof Long timeout && timeout > 0
                    ? (Collection<?>) fields.getPropertyValue("activeThreads")
                    : null;
        } catch (RuntimeException notAccessible) {
            return null;
        }
    }
}
