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
 * <p>An executor does not report that it has become idle unless it is shut down, so this class polls.
 */
final class LateTasks {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private LateTasks() {}

    /** {@return the executors that are still running tasks at the end; returns early as soon as there are none} */
    static List<String> await(ConfigurableListableBeanFactory beans, long endNanos) {
        List<String> busy = executors(beans);
        while (!busy.isEmpty() && endNanos - System.nanoTime() > 0) {
            LockSupport.parkNanos(PAUSE_NANOS);
            busy = executors(beans);
        }
        return busy;
    }

    private static List<String> executors(ConfigurableListableBeanFactory beans) {
        return Stream.of(ExecutorConfigurationSupport.class, SimpleAsyncTaskExecutor.class)
                .flatMap(type -> Stream.of(beans.getBeanNamesForType(type, true, false)))
                .map(BeanFactoryUtils::transformedBeanName)
                .filter(bean -> beans.containsSingleton(bean) && isBusy(beans.getSingleton(bean), beans.getBean(bean)))
                .toList();
    }

    /** @param bean the executor itself, or the pool if the executor is a factory of pools */
    private static boolean isBusy(@Nullable Object executor, Object bean) {
        if (executor instanceof ExecutorConfigurationSupport pool) {
            return pool.isRunning()
                    && isBusyPool(
                            bean instanceof ThreadPoolTaskExecutor tasks
                                    ? tasks.getThreadPoolExecutor()
                                    : bean instanceof ThreadPoolTaskScheduler scheduler
                                            ? scheduler.getScheduledExecutor()
                                            : bean);
        }
        return executor instanceof SimpleAsyncTaskExecutor simple && isBusySimple(simple);
    }

    /** Tasks that are scheduled for later are not awaited. */
    private static boolean isBusyPool(@Nullable Object pool) {
        return pool instanceof ThreadPoolExecutor executor
                && (executor.getActiveCount() > 0 || isDue(executor.getQueue().peek()));
    }

    private static boolean isDue(@Nullable Runnable next) {
        return next != null && (!(next instanceof Delayed later) || later.getDelay(TimeUnit.NANOSECONDS) <= 0);
    }

    /** Its threads are tracked only if it waits for them, and only these fields reveal both. */
    private static boolean isBusySimple(SimpleAsyncTaskExecutor executor) {
        try {
            PropertyAccessor fields = new DirectFieldAccessor(executor);
            return fields.getPropertyValue("taskTerminationTimeout") instanceof Long timeout
                    && timeout > 0
                    && fields.getPropertyValue("activeThreads") instanceof Collection<?> threads
                    && !threads.isEmpty();
        } catch (RuntimeException notAccessible) {
            return false;
        }
    }
}
