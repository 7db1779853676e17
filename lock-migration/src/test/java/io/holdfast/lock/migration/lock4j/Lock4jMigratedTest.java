package io.holdfast.lock.migration.lock4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.migration.Applications;
import io.holdfast.lock.migration.Door;
import io.holdfast.lock.migration.Holding;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What the recipes make of the methods does the same on Redis as before. */
@Tag("full")
class Lock4jMigratedTest {

    private final long id = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    private final Door shop = new Door();
    private final ApplicationContextRunner migrated = Applications.holdfast()
            .withPropertyValues("holdfast.redis.key-prefix=" + UUID.randomUUID(), "holdfast.wait-for=2s")
            .withBean(Door.class, () -> shop)
            .withBean(Lock4jMigrated.class);

    private void inTwo(BiConsumer<Lock4jMigrated, Lock4jMigrated> test) {
        migrated.run(here -> migrated.run(
                there -> test.accept(here.getBean(Lock4jMigrated.class), there.getBean(Lock4jMigrated.class))));
    }

    @Test
    void annotation_and_template_exclude_each_other() {
        inTwo((here, there) -> {
            try (Holding held = shop.hold(() -> here.keys(id))) {
                assertThatThrownBy(() -> there.keys(id)).isInstanceOf(LockNotAcquiredException.class);
                assertThatIllegalStateException()
                        .isThrownBy(() -> there.template(id))
                        .withMessage("Order " + id + " is busy");
                there.keys(id + 1);
            }
            there.template(id);
            there.keys(id);
            assertThat(shop.sold()).isEqualTo(3);
        });
    }

    @Test
    void keys_of_several_parts_differ() {
        inTwo((here, there) -> {
            try (Holding held = shop.hold(() -> here.parts("north", id))) {
                assertThatThrownBy(() -> there.parts("north", id)).isInstanceOf(LockNotAcquiredException.class);
                there.parts("south", id);
            }
            assertThat(shop.sold()).isOne();
        });
    }

    @Test
    void method_without_a_name_excludes_itself() {
        inTwo((here, there) -> {
            try (Holding held = shop.hold(here::method)) {
                assertThatThrownBy(there::method).isInstanceOf(LockNotAcquiredException.class);
            }
        });
    }

    @Test
    void report_runs_once() {
        inTwo((here, there) -> {
            here.once();
            there.once();
            assertThat(shop.sold()).isOne();
        });
    }
}
