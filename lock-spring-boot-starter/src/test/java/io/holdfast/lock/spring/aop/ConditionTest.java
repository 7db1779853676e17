package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.spring.LockContext;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class ConditionTest {

    static class Locked {

        @DistributedLock(key = "#id", condition = "#amount > 10")
        public boolean pay(String id, int amount) {
            return LockContext.current().isPresent();
        }

        @DistributedLock(key = "'x'", condition = "${app.locking:false}")
        public boolean byProperty() {
            return LockContext.current().isPresent();
        }

        @DistributedLock(key = "'x'", condition = "#answer")
        public boolean answered(Object answer) {
            return LockContext.current().isPresent();
        }
    }

    private final ApplicationContextRunner runner = Runners.inMemory().withBean(Locked.class);

    @Test
    void true_condition_locks() {
        runner.run(context ->
                assertThat(context.getBean(Locked.class).pay("7", 11)).isTrue());
    }

    @Test
    void false_condition_runs_without_the_lock_and_without_a_key() {
        runner.run(context ->
                assertThat(context.getBean(Locked.class).pay(null, 10)).isFalse());
    }

    @Test
    void condition_may_be_a_property() {
        runner.run(context ->
                assertThat(context.getBean(Locked.class).byProperty()).isFalse());
        runner.withPropertyValues("app.locking=true")
                .run(context ->
                        assertThat(context.getBean(Locked.class).byProperty()).isTrue());
    }

    @Test
    void condition_that_yields_nothing_is_an_error() {
        runner.run(context -> assertThatThrownBy(
                        () -> context.getBean(Locked.class).answered(null))
                .isInstanceOf(LockKeyException.class)
                .hasMessageContainingAll("Locked.answered(Object)", "condition \"#answer\"", "null", "true or false"));
    }

    @Test
    void condition_that_yields_something_else_is_an_error() {
        runner.run(context -> assertThatThrownBy(
                        () -> context.getBean(Locked.class).answered("yes"))
                .isInstanceOf(LockKeyException.class)
                .hasMessageContaining("a java.lang.String"));
    }
}
