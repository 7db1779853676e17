package io.holdfast.lock.migration.lock4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.baomidou.lock.DefaultLockFailureStrategy;
import com.baomidou.lock.DefaultLockKeyBuilder;
import com.baomidou.lock.exception.LockFailureException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.migration.Applications;
import io.holdfast.lock.migration.Door;
import io.holdfast.lock.migration.Holding;
import io.holdfast.lock.migration.Stock.Sale;
import io.holdfast.lock.migration.lock4j.Lock4jBefore.Tenants;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@Tag("full")
class Lock4jMigrationTest {

    private final long id = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    private final Door shop = new Door();

    private final ApplicationContextRunner lock4j = Applications.configured(Applications.lock4j(), "lock4j/before.yaml")
            .withBean("tenants", Tenants.class, () -> () -> "north")
            .withBean(Door.class, () -> shop)
            .withBean(DefaultLockKeyBuilder.class)
            .withBean(DefaultLockFailureStrategy.class)
            .withBean(Lock4jBefore.OrderIsBusy.class)
            .withBean(Lock4jBefore.Silence.class)
            .withBean(Lock4jBefore.TenantKeys.class)
            .withBean(Lock4jBefore.class);
    private final ApplicationContextRunner holdfast = Applications.configured(
                    Applications.holdfast(), "lock4j/after.yaml")
            .withBean("tenants", Tenants.class, () -> () -> "north")
            .withBean(Door.class, () -> shop)
            .withBean(Lock4jAfter.class);
    private final ApplicationContextRunner both = Applications.holdfastAndLock4j()
            .withPropertyValues("lock4j.lock-key-prefix=shop", "holdfast.redis.key-prefix=shop")
            .withBean(Door.class, () -> shop)
            .withBean(Lock4jBetween.class);

    /** Two instances of the application. */
    private static <T> void inTwo(ApplicationContextRunner application, Class<T> bean, BiConsumer<T, T> test) {
        application.run(here -> application.run(there -> test.accept(here.getBean(bean), there.getBean(bean))));
    }

    @Test
    void former_strategy_is_asked_while_the_lock_is_held() {
        inTwo(lock4j, Lock4jBefore.class, (here, there) -> {
            try (Holding held = shop.hold(() -> here.keys(id))) {
                assertThatIllegalStateException()
                        .isThrownBy(() -> there.strategy(id))
                        .withMessage("Order " + id + " is busy");
            }
            there.strategy(id);
            assertThat(shop.sold()).isOne();
        });
    }

    @Test
    void fallback_is_called_while_the_lock_is_held() {
        inTwo(holdfast, Lock4jAfter.class, (here, there) -> {
            try (Holding held = shop.hold(() -> here.keys(id))) {
                assertThatIllegalStateException()
                        .isThrownBy(() -> there.strategy(id))
                        .withMessage("Order " + id + " is busy");
            }
            there.strategy(id);
            assertThat(shop.sold()).isOne();
        });
    }

    @Test
    void former_keys_are_made_by_the_builder() {
        inTwo(lock4j, Lock4jBefore.class, (here, there) -> {
            try (Holding held = shop.hold(() -> here.parts("north", id))) {
                assertThatThrownBy(() -> there.builder(id)).isInstanceOf(LockFailureException.class);
                there.builder(id + 1);
            }
            assertThat(shop.sold()).isOne();
        });
    }

    @Test
    void new_keys_are_made_of_parts() {
        inTwo(holdfast, Lock4jAfter.class, (here, there) -> {
            try (Holding held = shop.hold(() -> here.parts("north", id))) {
                assertThatThrownBy(() -> there.builder(id))
                        .isInstanceOf(LockNotAcquiredException.class)
                        .hasMessageContaining("order:north:" + id);
                there.builder(id + 1);
            }
            assertThat(shop.sold()).isOne();
        });
    }

    @Test
    void former_lock_that_is_not_released_lets_a_report_run_once() {
        inTwo(lock4j, Lock4jBefore.class, (here, there) -> {
            here.once();
            there.once();
            assertThat(shop.sold()).isOne();
        });
    }

    @Test
    void minimum_hold_lets_a_report_run_once() {
        inTwo(holdfast, Lock4jAfter.class, (here, there) -> {
            here.once();
            there.once();
            assertThat(shop.sold()).isOne();
        });
    }

    @Test
    void former_methods_run() {
        lock4j.run(context -> {
            Lock4jBefore before = context.getBean(Lock4jBefore.class);
            before.method();
            before.template(id);
            assertThat(shop.sold()).isEqualTo(2);
        });
    }

    @Test
    void new_methods_exclude_each_other() {
        inTwo(
                holdfast,
                Lock4jAfter.class,
                (here, there) -> nothingIsForgotten(() -> here.template(id), () -> there.keys(id)));
    }

    @Test
    void new_methods_without_a_key_exclude_each_other() {
        inTwo(holdfast, Lock4jAfter.class, (here, there) -> nothingIsForgotten(here::method, there::method));
    }

    private void nothingIsForgotten(Sale here, Sale there) {
        try {
            shop.stock().assertThatNothingIsForgotten(List.of(here, there));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void release_with_both_annotations_keeps_out_the_one_before_and_the_one_after() {
        lock4j.run(former -> both.run(now -> holdfast.run(next -> {
            Lock4jBetween middle = now.getBean(Lock4jBetween.class);
            try (Holding held = shop.hold(() -> middle.keys(id))) {
                assertThatThrownBy(() -> former.getBean(Lock4jBefore.class).strategy(id))
                        .isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(() -> next.getBean(Lock4jAfter.class).strategy(id))
                        .isInstanceOf(IllegalStateException.class);
            }
            try (Holding held =
                    shop.hold(() -> former.getBean(Lock4jBefore.class).keys(id))) {
                assertThatThrownBy(() -> middle.keys(id)).isInstanceOf(LockFailureException.class);
            }
            try (Holding held = shop.hold(() -> next.getBean(Lock4jAfter.class).keys(id))) {
                assertThatThrownBy(() -> middle.keys(id)).isInstanceOf(LockNotAcquiredException.class);
            }
            assertThat(shop.sold()).isZero();
        })));
    }
}
