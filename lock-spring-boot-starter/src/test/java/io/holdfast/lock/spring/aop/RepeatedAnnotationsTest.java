package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.DistributedReadLock;
import io.holdfast.lock.spring.annotation.DistributedSemaphore;
import io.holdfast.lock.spring.annotation.OnContention;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Several annotations on one method: several locks, each in its own mode. */
class RepeatedAnnotationsTest {

    interface Shop {
        @DistributedLock(name = "shop")
        String open(long id);
    }

    static class Orders implements Shop {

        @DistributedReadLock(name = "price-list")
        @DistributedLock(name = "order", key = "#id", waitFor = 0, onContention = OnContention.SKIP)
        public String pay(long id) {
            return "paid " + id;
        }

        @DistributedLock(name = "from", key = "#from")
        @DistributedLock(name = "to", key = "#to", lease = 7)
        @DistributedSemaphore(name = "transfers", permits = 3, fair = true)
        public void transfer(long from, long to) {}

        @DistributedReadLock(name = "order", key = "#from")
        @DistributedLock(name = "order", key = "#to")
        public void copy(long from, long to) {}

        @Override
        @DistributedLock(name = "order", key = "#id")
        public String open(long id) {
            return "open " + id;
        }
    }

    @DistributedReadLock(name = "price-list")
    @DistributedLock(name = "import")
    static class Imports {
        public void all() {}

        @DistributedLock(name = "one")
        public void one() {}
    }

    static class TwoLeaders {
        @DistributedReadLock(name = "price-list", lease = 3)
        @DistributedLock(name = "order", waitFor = 2, minHold = 5)
        public void pay() {}
    }

    static class TwoLeases {
        @DistributedReadLock(name = "price-list", lease = 3)
        @DistributedLock(name = "order", lease = 5)
        public void pay() {}
    }

    static class Nameless {
        @DistributedReadLock
        @DistributedLock(name = "order")
        public void pay() {}
    }

    private static final ApplicationContextRunner IMPATIENT =
            Runners.inMemory().withPropertyValues("holdfast.wait-for=0s");

    private final ApplicationContextRunner runner =
            IMPATIENT.withBean(Orders.class).withBean(Imports.class).withBean(RequestRecorder.class);

    private void withOrders(BiConsumer<Orders, LockTemplate> test) {
        runner.run(context -> test.accept(context.getBean(Orders.class), context.getBean(LockTemplate.class)));
    }

    private <T> LockRequest requestOf(ApplicationContextRunner application, Class<T> bean, Consumer<T> call) {
        LockRequest[] request = new LockRequest[1];
        application.run(context -> {
            call.accept(context.getBean(bean));
            request[0] = context.getBean(RequestRecorder.class).seen().get(0);
        });
        return request[0];
    }

    @Test
    void each_lock_is_taken_in_its_mode_and_none_is_left_if_one_is_not_free() {
        withOrders((orders, locks) -> {
            try (LockHandle priceList =
                    locks.acquire(LockRequest.of("price-list").shared()).detach()) {
                assertThat(orders.pay(7)).isEqualTo("paid 7");
                assertThat(priceList.isHeld()).isTrue();
            }
            try (LockHandle writer = locks.acquire("price-list").detach()) {
                assertThat(orders.pay(7)).isNull();
                assertThat(locks.inspect("order:7").holders()).isEmpty();
                assertThat(writer.isHeld()).isTrue();
            }
            try (LockHandle order = locks.acquire("order:7").detach()) {
                assertThat(orders.pay(7)).isNull();
                assertThat(orders.pay(8)).isEqualTo("paid 8");
                assertThat(locks.inspect("price-list").holders()).isEmpty();
                assertThat(order.isHeld()).isTrue();
            }
            assertThat(orders.pay(7)).isEqualTo("paid 7");
        });
    }

    @Test
    void what_concerns_the_call_is_taken_from_the_one_that_says_it() {
        var configured = runner.withPropertyValues(
                "holdfast.locks.to.wait-for=9s", "holdfast.locks.from.wait-for=1s", "holdfast.wait-for=8s");
        assertThat(requestOf(configured, Orders.class, orders -> orders.transfer(1, 2)))
                .isEqualTo(LockRequest.of("to:2")
                        .name("to")
                        .lease(Duration.ofSeconds(7))
                        .waitFor(Duration.ofSeconds(9))
                        .and(LockRequest.of("from:1"))
                        .and(LockRequest.of("transfers").shared(3).fair(true)));
    }

    @Test
    void one_thing_that_is_read_and_written_is_locked_alone() {
        withOrders((orders, locks) -> {
            try (LockHandle reader =
                    locks.acquire(LockRequest.of("order:3").shared()).detach()) {
                orders.copy(3, 4);
                assertThatThrownBy(() -> orders.copy(3, 3)).isInstanceOf(LockNotAcquiredException.class);
                assertThat(reader.isHeld()).isTrue();
            }
            orders.copy(3, 3);
        });
    }

    @Test
    void nearest_place_counts_and_no_other() {
        assertThat(requestOf(runner, Orders.class, orders -> orders.open(5)).keys())
                .containsExactly(LockKey.of("order:5"));
        assertThat(requestOf(runner, Imports.class, Imports::one).keys()).containsExactly(LockKey.of("one"));
        assertThat(requestOf(runner, Imports.class, Imports::all))
                .isEqualTo(LockRequest.of("import")
                        .name("import")
                        .waitFor(Duration.ZERO)
                        .and(LockRequest.of("price-list").shared()));
    }

    @Test
    void attributes_of_the_call_on_two_of_them_fail_the_start() {
        IMPATIENT
                .withBean(TwoLeaders.class)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("TwoLeaders.pay", "minHold, waitFor and lease", "Set these on one of them"));
        IMPATIENT
                .withBean(TwoLeases.class)
                .run(context -> assertThat(Startup.failureOf(context)).contains("the whole call: lease."));
    }

    @Test
    void each_of_them_needs_a_name_or_a_key() {
        IMPATIENT
                .withBean(Nameless.class)
                .run(context ->
                        assertThat(Startup.failureOf(context)).contains("Nameless.pay", "neither a name nor a key"));
    }

    static class Weights {
        @DistributedSemaphore(name = "import")
        public void load() {}
    }

    static class TooHeavy {
        @DistributedSemaphore(name = "import", permits = 3)
        public void load() {}
    }

    static class HeavyReader {
        @DistributedReadLock(name = "import")
        public void load() {}
    }

    @ParameterizedTest
    @ValueSource(classes = {TooHeavy.class, HeavyReader.class})
    void weight_that_does_not_fit_fails_the_start(Class<?> bean) {
        IMPATIENT
                .withBean(bean)
                .withPropertyValues("holdfast.locks.import.weight=4")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(bean.getSimpleName() + ".load", "weight = 4", "limit"));
    }

    @Test
    void weight_below_one_fails_the_start() {
        runner.withPropertyValues("holdfast.locks.import.weight=0")
                .run(context ->
                        assertThat(Startup.failureOf(context)).contains("holdfast.locks.import.weight", "1 or more"));
    }

    @Test
    void weight_does_not_concern_an_exclusive_lock() {
        var heavy = runner.withPropertyValues("holdfast.locks.order.weight=4");
        assertThat(requestOf(heavy, Orders.class, orders -> orders.open(1)).weight())
                .isEqualTo(1);
    }

    @Test
    void weight_may_be_a_part_of_a_limit_that_the_properties_set() {
        var heavy = IMPATIENT
                .withPropertyValues("holdfast.locks.import.weight=4")
                .withBean(Weights.class)
                .withBean(RequestRecorder.class);
        assertThat(requestOf(heavy.withPropertyValues("holdfast.locks.import.limit=5"), Weights.class, Weights::load))
                .isEqualTo(LockRequest.of("import")
                        .name("import")
                        .waitFor(Duration.ZERO)
                        .shared(5)
                        .weight(4));
        heavy.withPropertyValues("holdfast.locks.import.limit=3")
                .run(context -> assertThat(Startup.failureOf(context)).contains("weight = 4", "limit, which is 3"));
    }

    @Test
    void line_of_waiting_calls_is_limited_by_the_instance() {
        var instance = runner.withPropertyValues("holdfast.locks.order.max-waiting=5");
        assertThat(requestOf(instance, Orders.class, orders -> orders.open(1)).maxWaiting())
                .isEqualTo(5);
        runner.withPropertyValues("holdfast.locks.order.max-waiting=0")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("holdfast.locks.order.max-waiting", "1 or more"));
    }
}
