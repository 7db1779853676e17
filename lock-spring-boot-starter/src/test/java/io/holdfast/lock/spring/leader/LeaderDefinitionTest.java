package io.holdfast.lock.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.spring.aop.LockAdvisor;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.Advised;
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
                Arguments.of(NoRole.class, "does not name a role"));
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
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessage("There is no LockTemplate: the application or the test slice excludes the lock"
                            + " auto-configuration or Spring Data Redis. Add @AutoConfigureTestLocks (from"
                            + " lock-spring-boot-test) to the test, or a LockStore or LockTemplate bean.");
        });
    }

    static class UnknownProperty {
        @LeaderOnly("${app.role}")
        public void run() {}
    }

    @Test
    void unknown_placeholder_of_a_role_fails_the_start() {
        Runners.inMemory()
                .withBean(UnknownProperty.class)
                .run(context -> assertThat(Startup.failureOf(context))
                        .isEqualTo("@LeaderOnly method " + UnknownProperty.class.getName()
                                + ".run() has value = \"${app.role}\", but a property in it is not set.\nSet the property, add"
                                + " a default (${name:value}), or correct the expression."));
    }

    static class LockedOnLeader {
        @LeaderOnly("a")
        @DistributedLock(name = "a")
        public void run() {}
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, Integer.MIN_VALUE + 1, 0, Integer.MAX_VALUE})
    void leader_is_checked_before_the_lock_is_acquired_whatever_its_order(int order) {
        Runners.inMemory()
                .withBean(LockedOnLeader.class)
                .withPropertyValues("holdfast.aop.order=" + order)
                .run(context -> {
                    Advised proxy = (Advised) context.getBean(LockedOnLeader.class);
                    assertThat(Arrays.stream(proxy.getAdvisors())
                                    .<Class<?>>map(Object::getClass)
                                    .filter(Set.of(LeaderAdvisor.class, LockAdvisor.class)::contains))
                            .containsExactly(LeaderAdvisor.class, LockAdvisor.class);
                });
    }
}
