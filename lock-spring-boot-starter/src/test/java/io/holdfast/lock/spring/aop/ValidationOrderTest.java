package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.constraints.Positive;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.Advised;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.validation.annotation.Validated;

/** Arguments are validated before the lock is asked for. */
class ValidationOrderTest {

    @Validated
    static class Payments {
        @DistributedLock(name = "pay", key = "#amount")
        public void pay(@Positive int amount) {}

        public void list(@Positive int page) {}
    }

    @Validated
    static class Unlocked {
        public void list(@Positive int page) {}
    }

    static class Recorder implements LockListener {
        final List<LockEvent> all = new CopyOnWriteArrayList<>();

        @Override
        public void onEvent(LockEvent event) {
            all.add(event);
        }
    }

    private final ApplicationContextRunner runner = Runners.inMemory()
            .withConfiguration(AutoConfigurations.of(ValidationAutoConfiguration.class))
            .withBean(Payments.class)
            .withBean(Unlocked.class)
            .withBean(Recorder.class);

    @Test
    void call_with_invalid_arguments_asks_for_no_lock() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            Recorder recorder = context.getBean(Recorder.class);

            assertThatThrownBy(() -> payments.pay(0)).isInstanceOf(ConstraintViolationException.class);
            assertThat(recorder.all).isEmpty();

            payments.pay(1);
            assertThat(recorder.all).hasSize(2);
        });
    }

    @Test
    void all_methods_are_validated_as_before() {
        runner.run(context -> {
            assertThat(((Advised) context.getBean(Payments.class)).getAdvisorCount())
                    .isEqualTo(2);
            assertThatThrownBy(() -> context.getBean(Payments.class).list(0))
                    .isInstanceOf(ConstraintViolationException.class);
            assertThatThrownBy(() -> context.getBean(Unlocked.class).list(0))
                    .isInstanceOf(ConstraintViolationException.class);
        });
    }

    @Test
    void application_without_bean_validation_has_none_of_it() {
        Runners.inMemory()
                .withClassLoader(new FilteredClassLoader("jakarta.validation"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ValidationOrder.class));
    }
}
