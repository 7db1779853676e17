package io.holdfast.lock.spring.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.reactivex.rxjava3.core.Single;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Advice inside the lock, such as a cache, answers for the method, in whichever form. */
@Timeout(60)
class AnswerFromWithinTest {

    static class Service {

        @DistributedLock(name = "within")
        public Mono<String> mono() {
            throw new IllegalStateException("not reached");
        }

        @DistributedLock(name = "within")
        public Flux<String> flux() {
            throw new IllegalStateException("not reached");
        }

        @DistributedLock(name = "within")
        public Publisher<String> publisher() {
            throw new IllegalStateException("not reached");
        }

        @DistributedLock(name = "within")
        public Single<String> single() {
            throw new IllegalStateException("not reached");
        }

        @DistributedLock(name = "within")
        public CompletableFuture<String> future() {
            throw new IllegalStateException("not reached");
        }

        @DistributedLock(name = "within")
        public CompletionStage<String> stage() {
            throw new IllegalStateException("not reached");
        }

        @DistributedLock(name = "within")
        public Future<String> plain() {
            throw new IllegalStateException("not reached");
        }
    }

    private interface Body {
        void run(Service service, LockTemplate locks) throws Exception;
    }

    private static void answering(@Nullable Object answer, Body body) {
        var pointcut = new NameMatchMethodPointcut();
        pointcut.setMappedName("*");
        pointcut.setClassFilter(Service.class::isAssignableFrom);
        Runners.inMemory()
                .withBean(Service.class)
                .withBean(Advisor.class, () -> new DefaultPointcutAdvisor(pointcut, (MethodInterceptor) call -> answer))
                .run(context -> {
                    LockTemplate locks = context.getBean(LockTemplate.class);
                    body.run(context.getBean(Service.class), locks);
                    assertThat(locks.inspect("within").holder()).isEmpty();
                });
    }

    static Stream<Arguments> answers() {
        return Stream.of(
                Arguments.of("value", "cached"),
                Arguments.of("mono", Mono.just("cached")),
                Arguments.of("flux", Flux.just("cached")),
                Arguments.of("publisher", (Publisher<String>) Mono.just("cached")::subscribe),
                Arguments.of("single", Single.just("cached")),
                Arguments.of("stage", CompletableFuture.completedFuture("cached")),
                Arguments.of("minimal stage", CompletableFuture.completedStage("cached")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("answers")
    void answer_in_any_form_is_the_result_of_every_publisher(String form, Object answer) {
        answering(answer, (service, locks) -> {
            assertThat(service.mono().block()).isEqualTo("cached");
            assertThat(service.flux().collectList().block()).containsExactly("cached");
            assertThat(Mono.from(service.publisher()).block()).isEqualTo("cached");
            assertThat(service.single().blockingGet()).isEqualTo("cached");
        });
    }

    @Test
    void stage_is_the_result_of_stages() {
        answering(CompletableFuture.completedFuture("cached"), (service, locks) -> {
            assertThat(service.future().get()).isEqualTo("cached");
            assertThat(service.stage().toCompletableFuture().get()).isEqualTo("cached");
            assertThat(service.plain().get()).isEqualTo("cached");
        });
    }

    @Test
    void null_is_an_empty_result() {
        answering(null, (service, locks) -> {
            assertThat(service.mono().blockOptional()).isEmpty();
            assertThat(service.flux().collectList().block()).isEmpty();
            assertThat(service.future()).isNull();
        });
    }
}
