package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Valid;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.validation.annotation.Validated;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;
import reactor.core.publisher.Mono;

/** Constraints on the arguments of locked methods. */
class ArgumentValidationTest {

    record Order(@NotBlank String id) {}

    /** Counts how often it is checked. */
    static class Checked {

        private static final AtomicInteger CHECKS = new AtomicInteger();
        private final String id;

        Checked(String id) {
            this.id = id;
        }

        String id() {
            return id;
        }

        @AssertTrue
        public boolean isIdGiven() {
            CHECKS.incrementAndGet();
            return !id.isEmpty();
        }
    }

    @Validated
    static class Orders {

        private final AtomicInteger calls = new AtomicInteger();

        public int calls() {
            return calls.get();
        }

        @DistributedLock(name = "order", key = "#order.id", waitFor = 0)
        public @NotNull String pay(@NotNull @Valid @Nullable Order order, @Positive int amount) {
            calls.incrementAndGet();
            return "paid";
        }

        @DistributedLock(name = "order", key = "#id", waitFor = 0)
        public @NotNull @Nullable String find(@Positive int id) {
            calls.incrementAndGet();
            return null;
        }

        @DistributedLock(name = "order", key = "#id", waitFor = 0)
        public CompletableFuture<String> later(@Positive int id) {
            return CompletableFuture.completedFuture("paid");
        }

        @DistributedLock(name = "order", key = "'mono'", waitFor = 0)
        public Mono<String> of(@Valid Mono<Checked> order) {
            return order.map(Checked::id);
        }
    }

    static class NotValidated {
        @DistributedLock(name = "order", key = "#id", waitFor = 0)
        public String pay(@Positive int id) {
            return "paid";
        }
    }

    private interface Body {
        void run(Orders orders, LockTemplate locks);
    }

    private final ApplicationContextRunner runner = Runners.inMemory()
            .withConfiguration(AutoConfigurations.of(ValidationAutoConfiguration.class))
            .withBean(Orders.class)
            .withBean(NotValidated.class);

    private void withOrders(Body body) {
        runner.run(context -> body.run(context.getBean(Orders.class), context.getBean(LockTemplate.class)));
    }

    @Test
    void invalid_call_is_refused_though_the_lock_is_not_free_and_before_its_key_is_evaluated() {
        withOrders((orders, locks) -> {
            try (LockHandle held = locks.acquire("order:7").detach()) {
                assertThatThrownBy(() -> orders.pay(new Order("7"), -1))
                        .isInstanceOf(ConstraintViolationException.class);
                assertThatThrownBy(() -> orders.pay(null, 1)).isInstanceOf(ConstraintViolationException.class);
                assertThatThrownBy(() -> orders.pay(new Order(" "), 1))
                        .isInstanceOf(ConstraintViolationException.class);
                assertThatThrownBy(() -> orders.pay(new Order("7"), 1)).isInstanceOf(LockNotAcquiredException.class);
                assertThatThrownBy(() -> orders.later(-1)).isInstanceOf(ConstraintViolationException.class);
                assertThat(held.isHeld()).isTrue();
            }
            assertThat(orders.calls()).isZero();
            assertThat(orders.pay(new Order("7"), 1)).isEqualTo("paid");
            assertThat(orders.later(7).join()).isEqualTo("paid");
        });
    }

    @Test
    void results_are_checked_as_ever() {
        withOrders((orders, locks) -> {
            assertThatThrownBy(() -> orders.find(7)).isInstanceOf(ConstraintViolationException.class);
            assertThat(orders.calls()).isEqualTo(1);
            assertThat(locks.inspect("order:7").holders()).isEmpty();
        });
    }

    @Test
    void what_a_publisher_emits_is_checked_once_when_it_does() {
        withOrders((orders, locks) -> {
            int before = Checked.CHECKS.get();
            assertThat(orders.of(Mono.just(new Checked("7"))).block()).isEqualTo("7");
            assertThat(Checked.CHECKS).hasValue(before + 1);
            assertThatThrownBy(() -> orders.of(Mono.just(new Checked(""))).block())
                    .isInstanceOf(ConstraintViolationException.class);
        });
    }

    @Test
    void bean_that_is_not_validated_is_not() {
        runner.run(context ->
                assertThat(context.getBean(NotValidated.class).pay(-1)).isEqualTo("paid"));
    }

    /** It has checked them by then. */
    @Test
    void constraints_that_are_outside_of_the_lock_are_checked_there() {
        runner.withBean(CountingOutside.class).run(context -> {
            Orders orders = context.getBean(Orders.class);
            assertThatThrownBy(() -> orders.pay(null, 1)).isInstanceOf(ConstraintViolationException.class);
            assertThat(orders.pay(new Order("7"), 1)).isEqualTo("paid");
        });
    }

    static class CountingOutside extends MethodValidationPostProcessor {
        CountingOutside() {
            setBeforeExistingAdvisors(true);
        }
    }
}
