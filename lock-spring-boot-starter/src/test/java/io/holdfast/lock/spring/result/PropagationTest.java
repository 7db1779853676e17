package io.holdfast.lock.spring.result;

import static io.holdfast.lock.spring.result.Results.in;
import static io.holdfast.lock.spring.result.Results.inMemory;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.micrometer.context.ContextRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.util.concurrent.atomic.AtomicInteger;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** What comes along to the thread that runs a method. */
@Timeout(60)
class PropagationTest {

    @Test
    void publisher_of_the_method_sees_the_context_of_the_subscriber() {
        inMemory(world -> {
            StepVerifier.create(world.service()
                            .mono(() -> Mono.deferContextual(context -> Mono.just(context.get("user"))))
                            .contextWrite(context -> context.put("user", "ada")))
                    .expectNext("ada")
                    .verifyComplete();
            StepVerifier.create(world.service()
                            .flux(() -> Flux.deferContextual(context -> Flux.just(context.<Integer>get("n"))))
                            .contextWrite(context -> context.put("n", 7)))
                    .expectNext(7)
                    .verifyComplete();
        });
    }

    @Test
    void skipped_subscription_keeps_the_context() {
        inMemory(world -> {
            try (var other = world.taken()) {
                StepVerifier.create(world.service()
                                .skippingMono(() -> Mono.just("never"))
                                .switchIfEmpty(Mono.deferContextual(context -> Mono.just(context.get("user"))))
                                .contextWrite(context -> context.put("user", "ada")))
                        .expectNext("ada")
                        .verifyComplete();
            }
        });
    }

    @Test
    void thread_locals_are_restored_for_the_method_where_reactor_restores_them() {
        ThreadLocal<String> user = new ThreadLocal<>();
        ContextRegistry.getInstance().registerThreadLocalAccessor("user", user);
        Hooks.enableAutomaticContextPropagation();
        try {
            inMemory(world -> StepVerifier.create(world.service()
                            .mono(() -> Mono.just(String.valueOf(user.get())))
                            .contextWrite(context -> context.put("user", "ada")))
                    .expectNext("ada")
                    .verifyComplete());
        } finally {
            Hooks.disableAutomaticContextPropagation();
            ContextRegistry.getInstance().removeThreadLocalAccessor("user");
        }
    }

    /** As in WebFlux, whose requests put their observation into the context of Reactor. */
    @Test
    void acquisition_belongs_to_the_observation_of_the_subscriber() {
        TestObservationRegistry observations = TestObservationRegistry.create();
        in(Runners.inMemory().withBean(ObservationRegistry.class, () -> observations), world -> {
            Observation request = Observation.start("request", observations);
            StepVerifier.create(world.service()
                            .mono(() -> Mono.just("done"))
                            .contextWrite(context -> context.put(ObservationThreadLocalAccessor.KEY, request)))
                    .expectNext("done")
                    .verifyComplete();
            request.stop();

            TestObservationRegistryAssert.assertThat(observations)
                    .doesNotHaveAnyRemainingCurrentObservation()
                    .hasObservationWithNameEqualTo("holdfast.acquire")
                    .that()
                    .hasParentObservationEqualTo(request);
        });
    }

    @Test
    void method_runs_on_a_thread_that_may_block() {
        inMemory(world -> StepVerifier.create(world.service()
                        .mono(() -> Mono.just(Schedulers.isInNonBlockingThread() + " on "
                                + Thread.currentThread().getName()))
                        .subscribeOn(Schedulers.parallel()))
                .assertNext(thread -> assertThat(thread).startsWith("false on holdfast-async-"))
                .verifyComplete());
    }

    static class Service {

        @DistributedLock(key = "#id")
        public Mono<String> run(String id) {
            return Mono.just(id);
        }
    }

    /** Inside of the lock, since its order is the lowest. Asks for the current invocation. */
    @Aspect
    static class Counting {
        final AtomicInteger calls = new AtomicInteger();

        @Before("execution(* io.holdfast.lock.spring.result.PropagationTest.Service.run(..))")
        public void count(JoinPoint point) {
            calls.addAndGet(point.getArgs().length);
        }
    }

    @Test
    void aspects_inside_of_the_lock_work_at_each_subscription() {
        Runners.inMemory().withBean(Service.class).withBean(Counting.class).run(context -> {
            Mono<String> result = context.getBean(Service.class).run("id");
            assertThat(context.getBean(Counting.class).calls).hasValue(0);
            assertThat(result.block()).isEqualTo("id");
            assertThat(result.block()).isEqualTo("id");
            assertThat(context.getBean(Counting.class).calls).hasValue(2);
        });
    }
}
