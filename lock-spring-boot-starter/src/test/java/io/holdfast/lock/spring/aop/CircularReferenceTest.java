package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.LockAssert;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.EventListener;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import reactor.core.publisher.Mono;

/** Post-processors get beans of a circular reference without their proxy, and would call annotated methods without lock. */
class CircularReferenceTest {

    private static final String NEVER = "PT24H";

    static class Reports {
        @Autowired(required = false)
        Job job;
    }

    abstract static class Job {
        @Autowired
        Reports reports;
    }

    static class Locked extends Job {
        @Scheduled(fixedRateString = NEVER, initialDelayString = NEVER)
        @DistributedLock(name = "report")
        public void report() {}
    }

    static class InstanceJob extends Job {
        @Scheduled(fixedRateString = NEVER, initialDelayString = NEVER)
        @OnOneInstance(name = "report", minHold = "1m")
        public void report() {}
    }

    static class OnLeader extends Job {
        @Scheduled(fixedRateString = NEVER, initialDelayString = NEVER)
        @LeaderOnly("report")
        public void report() {}
    }

    static class Twice extends Job {
        @Schedules({@Scheduled(fixedRateString = NEVER, initialDelayString = NEVER), @Scheduled(cron = "0 0 2 * * *")})
        @DistributedLock(name = "report")
        public void report() {}
    }

    static class Reactive extends Job {
        @Scheduled(fixedRateString = NEVER, initialDelayString = NEVER)
        @DistributedLock(name = "report")
        public Mono<Void> report() {
            return Mono.empty();
        }
    }

    @DistributedLock(name = "report")
    static class OfClass extends Job {
        @Scheduled(fixedRateString = NEVER, initialDelayString = NEVER)
        public void report() {}
    }

    @MessageMapping
    @Retention(RetentionPolicy.RUNTIME)
    @interface SomeListener {}

    static class Listener extends Job {
        @SomeListener
        @DistributedLock(name = "report")
        public void report() {}
    }

    private static ApplicationContextRunner application(Class<?> job) {
        return Runners.inMemory()
                .withAllowCircularReferences(true)
                .withUserConfiguration(Scheduling.class)
                .withBean("job", job)
                .withBean(Reports.class);
    }

    @EnableScheduling
    static class Scheduling {}

    private static String failure(Class<?> job, String annotation) {
        return "@" + annotation + " method " + job.getName()
                + ".report() cannot be proxied: in a circular reference, Spring calls it on the bean itself.\nRemove"
                + " the circular reference, or inject one of its beans with @Lazy.";
    }

    @ParameterizedTest
    @ValueSource(
            classes = {Locked.class, InstanceJob.class, Twice.class, Reactive.class, OfClass.class, Listener.class})
    void locked_method_that_would_be_called_without_its_lock_fails_startup(Class<?> job) {
        application(job)
                .run(context -> assertThat(Startup.failureOf(context)).isEqualTo(failure(job, "DistributedLock")));
    }

    @Test
    void method_for_the_leader_that_would_run_on_every_instance_fails_startup() {
        application(OnLeader.class)
                .run(context ->
                        assertThat(Startup.failureOf(context)).isEqualTo(failure(OnLeader.class, "LeaderOnly")));
    }

    /** Its bean is complete before the other one refers to it. */
    @Test
    void bean_that_is_created_last_is_locked() {
        Runners.inMemory()
                .withAllowCircularReferences(true)
                .withUserConfiguration(Scheduling.class)
                .withBean(Reports.class)
                .withBean("job", Locked.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    static class LazyReports {
        @Lazy
        @Autowired
        Deferred job;
    }

    static class Deferred {
        @Autowired
        LazyReports reports;

        @Scheduled(fixedRateString = NEVER, initialDelayString = NEVER)
        @DistributedLock(name = "report")
        public void report() {}
    }

    @Test
    void lazy_injection_resolves_the_circular_reference() {
        Runners.inMemory()
                .withUserConfiguration(Scheduling.class)
                .withBean("job", Deferred.class)
                .withBean(LazyReports.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    static class Beside extends Job {
        @Scheduled(fixedRateString = NEVER, initialDelayString = NEVER)
        public void report() {}

        @DistributedLock(name = "report")
        public void locked() {
            LockAssert.assertLocked();
        }

        @EventListener
        @DistributedLock(name = "report")
        public void on(String event) {
            LockAssert.assertLocked();
        }

        @MessageMapping
        @DistributedLock(name = "report")
        public void controller() {}
    }

    /** Spring looks up event listeners and controllers by the names of their beans. */
    @Test
    void methods_that_are_called_through_the_proxy_may_be_in_a_circular_reference() {
        application(Beside.class).run(context -> {
            context.getBean(Beside.class).locked();
            context.publishEvent("event");
        });
    }
}
