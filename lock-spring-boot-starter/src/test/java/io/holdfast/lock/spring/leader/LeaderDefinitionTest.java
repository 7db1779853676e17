package io.holdfast.lock.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import jakarta.annotation.PostConstruct;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.core.publisher.Mono;

/** What cannot be run on the leader only causes startup to fail, and says why. */
class LeaderDefinitionTest {

    static class PrivateMethod {
        @LeaderOnly("a")
        private void run() {}
    }

    static class FinalMethod {
        @LeaderOnly("a")
        public final void run() {}
    }

    static class StaticMethod {
        @LeaderOnly("a")
        static void run() {}
    }

    static class PrimitiveResult {
        @LeaderOnly("a")
        public int count() {
            return 1;
        }
    }

    static class ReactiveResult {
        @LeaderOnly("a")
        public Mono<String> count() {
            return Mono.just("one");
        }
    }

    static class NoRole {
        @LeaderOnly("${role:}")
        public void run() {}
    }

    static class Callback {
        @PostConstruct
        @LeaderOnly("a")
        public void run() {}
    }

    static class Fine {
        @LeaderOnly("a")
        public void run() {}
    }

    private static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(PrivateMethod.class, "the method is private"),
                Arguments.of(FinalMethod.class, "the method is final"),
                Arguments.of(StaticMethod.class, "the method is static"),
                Arguments.of(PrimitiveResult.class, "returns int"),
                Arguments.of(ReactiveResult.class, "reactive type"),
                Arguments.of(NoRole.class, "does not name a role"),
                Arguments.of(Callback.class, "Use Leadership inside the method"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void what_cannot_work_fails_the_start(Class<?> type, String reason) {
        Runners.inMemory()
                .withBean(type)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("@LeaderOnly method " + type.getName(), reason));
    }

    @Test
    void bean_without_a_proxy_fails_the_start() {
        ApplicationContextInitializer<ConfigurableApplicationContext> registered =
                context -> context.getBeanFactory().registerSingleton("unproxied", new Fine());
        Runners.inMemory()
                .withInitializer(registered)
                .run(context ->
                        assertThat(Startup.failureOf(context)).contains("would run on every instance", "'unproxied'"));
    }

    @Test
    void bean_of_a_child_context_without_the_starter_fails_its_start() {
        Runners.inMemory()
                .run(parent -> new org.springframework.boot.test.context.runner.ApplicationContextRunner()
                        .withParent(parent)
                        .withBean(Fine.class)
                        .run(child ->
                                assertThat(child).getFailure().hasMessageContaining("would run on every instance")));
    }

    @Test
    void application_without_locks_does_not_start() {
        Runners.withoutStore()
                .withBean(Fine.class)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("has no lock for the leader election", "There is no LockTemplate"));
    }

    @Test
    void part_of_an_application_starts_for_a_test_and_its_calls_fail() {
        Runners.partForTest().withBean(Fine.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThatThrownBy(() -> context.getBean(Fine.class).run())
                    .isInstanceOf(LockStoreException.class)
                    .hasMessageContaining("no leader can be elected");
        });
    }
}
