package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.annotation.Observed;
import io.micrometer.observation.aop.ObservedAspect;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.resilience.InvocationRejectedException;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import reactor.core.publisher.Mono;

/** Which of Spring's own aspects are outside of the lock, and which inside. */
@Timeout(60)
class AspectOrderTest {

    static class Service {

        final AtomicInteger calls = new AtomicInteger();

        @Retryable(maxRetries = 2, delay = 0, includes = IOException.class)
        @DistributedLock(key = "'order'")
        public String retried() throws IOException {
            if (calls.incrementAndGet() < 3) {
                throw new IOException("try again");
            }
            return "done";
        }

        @Retryable(maxRetries = 2, delay = 0, includes = IOException.class)
        @DistributedLock(key = "'order'")
        public Mono<String> retriedMono() {
            return Mono.fromCallable(() -> calls.incrementAndGet())
                    .flatMap(call -> call < 3 ? Mono.error(new IOException("try again")) : Mono.just("done"));
        }

        @Retryable(maxRetries = 1_000_000, delay = 1, includes = LockNotAcquiredException.class)
        @DistributedLock(key = "'order'", waitFor = 0)
        public String retriedOnContention() {
            return "done";
        }

        @ConcurrencyLimit(limit = 1, policy = ConcurrencyLimit.ThrottlePolicy.REJECT)
        @DistributedLock(key = "'order'", waitFor = 0)
        public String limited(Callable<String> work) throws Exception {
            return work.call();
        }

        @Cacheable("answers")
        @DistributedLock(key = "'order'")
        public String cached() {
            return "answer " + calls.incrementAndGet();
        }

        @Observed
        @DistributedLock(key = "'order'", waitFor = 0)
        public String observed() {
            return "done";
        }

        @PreAuthorize("hasRole('ADMIN')")
        @DistributedLock(key = "'order'")
        public String secured() {
            return "done";
        }
    }

    /** What happened to locks. */
    static class Events implements LockListener {

        final Queue<LockEvent> all = new ConcurrentLinkedQueue<>();

        @Override
        public void onEvent(LockEvent event) {
            all.add(event);
        }

        long acquired() {
            return all.stream().filter(LockEvent.Acquired.class::isInstance).count();
        }

        /** Events come on a thread of their own, in order. */
        void awaitReleased(long times) {
            Awaitility.await()
                    .until(() -> all.stream()
                                    .filter(LockEvent.Released.class::isInstance)
                                    .count()
                            == times);
        }
    }

    @EnableResilientMethods
    static class Resilient {}

    @EnableCaching
    static class Caching {}

    @EnableCaching(order = 0)
    static class CachingOutside {}

    @EnableMethodSecurity
    static class Secured {}

    static class Observing {

        /** Whether the lock was held when an observation began. */
        static final Queue<Boolean> HELD = new ConcurrentLinkedQueue<>();

        @Bean
        static ObservedAspect observedAspect(ObjectProvider<LockTemplate> locks) {
            ObservationRegistry registry = ObservationRegistry.create();
            registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {
                @Override
                public void onStart(Observation.Context context) {
                    HELD.add(locks.getObject().getLock("order").isHeldByCurrentThread());
                }

                @Override
                public boolean supportsContext(Observation.Context context) {
                    return true;
                }
            });
            return new ObservedAspect(registry);
        }
    }

    private interface Body {
        void run(Service service, Events events, ApplicationContext context) throws Exception;
    }

    private static ApplicationContextRunner application(Class<?> configuration) {
        return Runners.inMemory()
                .withUserConfiguration(configuration)
                .withBean(ConcurrentMapCacheManager.class)
                .withBean(Events.class)
                .withBean(Service.class);
    }

    private static void in(Class<?> configuration, Body body) {
        application(configuration)
                .run(context -> body.run(context.getBean(Service.class), context.getBean(Events.class), context));
    }

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
    }

    @Test
    void each_retry_takes_the_lock_anew() {
        in(Resilient.class, (service, events, context) -> {
            assertThat(service.retried()).isEqualTo("done");
            events.awaitReleased(3);
            assertThat(events.acquired()).isEqualTo(3);
        });
    }

    @Test
    void each_retry_of_a_publisher_takes_the_lock_anew() {
        in(Resilient.class, (service, events, context) -> {
            assertThat(service.retriedMono().block()).isEqualTo("done");
            events.awaitReleased(3);
            assertThat(events.acquired()).isEqualTo(3);
        });
    }

    @Test
    void contention_can_be_retried() {
        in(Resilient.class, (service, events, context) -> {
            var other = context.getBean(LockTemplate.class).acquire("order").detach();
            CompletableFuture<String> result = CompletableFuture.supplyAsync(service::retriedOnContention);
            Awaitility.await().until(() -> events.all.stream().anyMatch(LockEvent.NotAcquired.class::isInstance));
            other.close();
            assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("done");
        });
    }

    @Test
    void call_beyond_the_concurrency_limit_does_not_ask_for_the_lock() {
        in(Resilient.class, (service, events, context) -> {
            var begun = new CountDownLatch(1);
            var end = new CompletableFuture<String>();
            CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> {
                try {
                    return service.limited(() -> {
                        begun.countDown();
                        return end.get(30, TimeUnit.SECONDS);
                    });
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> service.limited(() -> "never")).isInstanceOf(InvocationRejectedException.class);
            end.complete("done");
            assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("done");
            events.awaitReleased(1);
            assertThat(events.acquired()).isEqualTo(1);
        });
    }

    @Test
    void cache_is_asked_under_the_lock() {
        in(Caching.class, (service, events, context) -> {
            assertThat(service.cached()).isEqualTo("answer 1");
            assertThat(service.cached()).isEqualTo("answer 1");
            events.awaitReleased(2);
            assertThat(events.acquired()).isEqualTo(2);
        });
    }

    @Test
    void cache_with_a_lower_order_is_asked_before_the_lock() {
        in(CachingOutside.class, (service, events, context) -> {
            assertThat(service.cached()).isEqualTo("answer 1");
            assertThat(service.cached()).isEqualTo("answer 1");
            events.awaitReleased(1);
            assertThat(events.acquired()).isEqualTo(1);
        });
    }

    @Test
    void observation_begins_under_the_lock_and_not_without_it() {
        Observing.HELD.clear();
        in(Observing.class, (service, events, context) -> {
            assertThat(service.observed()).isEqualTo("done");
            assertThat(Observing.HELD).containsExactly(true);
            var other = context.getBean(LockTemplate.class).acquire("order").detach();
            assertThatThrownBy(service::observed).isInstanceOf(LockNotAcquiredException.class);
            assertThat(Observing.HELD).hasSize(1);
            other.close();
        });
    }

    @Test
    void denied_call_does_not_ask_for_the_lock() {
        in(Secured.class, (service, events, context) -> {
            SecurityContextHolder.getContext()
                    .setAuthentication(new TestingAuthenticationToken("eve", "", "ROLE_USER"));
            assertThatThrownBy(service::secured).isInstanceOf(AccessDeniedException.class);
            SecurityContextHolder.getContext()
                    .setAuthentication(new TestingAuthenticationToken("ada", "", "ROLE_ADMIN"));
            assertThat(service.secured()).isEqualTo("done");
            events.awaitReleased(1);
            assertThat(events.acquired()).isEqualTo(1);
        });
    }
}
