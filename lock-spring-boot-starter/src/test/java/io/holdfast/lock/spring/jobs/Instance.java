package io.holdfast.lock.spring.jobs;

import io.holdfast.lock.spring.Runners;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;

/** An application context as one of several instances, with a clock of its own, which a test sets. Its scheduler calls nothing. */
final class Instance {

    /** Leaves all calls to the test. */
    private static final class IdleScheduler extends ScheduledAnnotationBeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean;
        }
    }

    final SetClock clock = new SetClock();
    final List<JobEvent> events = new CopyOnWriteArrayList<>();
    private ApplicationContextRunner runner;

    Instance(ApplicationContextRunner runner, Class<?> jobs, String... properties) {
        this.runner = runner.withBean("holdfastJobsClock", Clock.class, () -> clock)
                .withBean("observer", JobObserver.class, () -> events::add)
                .withBean(jobs)
                .withPropertyValues(properties);
    }

    /** On the Redis of the tests, with locks of its own. */
    static Instance onRedis(Class<?> jobs, String... properties) {
        return withoutScheduler(jobs, properties).withScheduler();
    }

    static Instance withoutScheduler(Class<?> jobs, String... properties) {
        return new Instance(
                Runners.redis().withPropertyValues("holdfast.redis.key-prefix=" + jobs.getSimpleName()),
                jobs,
                properties);
    }

    Instance withScheduler() {
        runner = runner.withBean(ScheduledAnnotationBeanPostProcessor.class, IdleScheduler::new);
        return this;
    }

    <T> Instance with(Class<T> type, Supplier<T> bean) {
        runner = runner.withBean(type, bean);
        return this;
    }

    void run(Consumer<AssertableApplicationContext> test) {
        runner.run(context -> {
            if (context.getStartupFailure() != null) {
                throw new AssertionError("The application did not start", context.getStartupFailure());
            }
            test.accept(context);
        });
    }

    /** Stands still until it is set. */
    static final class SetClock extends Clock {

        private volatile Instant now = Instant.now();

        void set(String time) {
            now = Instant.parse(time);
        }

        void add(Duration time) {
            now = now.plus(time);
        }

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException();
        }
    }
}
