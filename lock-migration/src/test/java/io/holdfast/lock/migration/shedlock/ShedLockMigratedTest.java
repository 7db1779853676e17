package io.holdfast.lock.migration.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.migration.Applications;
import io.holdfast.lock.migration.Door;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What the recipes make of the jobs does the same on Redis as before. */
@Tag("full")
class ShedLockMigratedTest {

    private final Door shop = new Door();
    private final ApplicationContextRunner migrated = Applications.holdfast()
            .withPropertyValues("holdfast.redis.key-prefix=" + UUID.randomUUID())
            .withUserConfiguration(ShedLockMigrated.Scheduling.class)
            .withBean(Door.class, () -> shop)
            .withBean(ShedLockMigrated.class);

    private void inTwo(BiConsumer<ShedLockMigrated, ShedLockMigrated> test) {
        migrated.run(here -> migrated.run(
                there -> test.accept(here.getBean(ShedLockMigrated.class), there.getBean(ShedLockMigrated.class))));
    }

    @Test
    void job_runs_once() {
        inTwo((here, there) -> {
            here.report();
            there.report();
            assertThat(shop.sold()).isOne();
        });
    }

    @Test
    void delay_counts_from_the_end_of_the_last_run_on_any_instance() {
        inTwo((here, there) -> {
            here.cleanUp();
            there.cleanUp();
            assertThat(shop.sold()).isOne();
        });
    }

    @Test
    void job_runs_once_for_each_parameter() {
        inTwo((here, there) -> {
            here.sync("north");
            there.sync("north");
            there.sync("south");
            assertThat(shop.sold()).isEqualTo(2);
        });
    }

    @Test
    void lock_is_extended() {
        inTwo((here, there) -> {
            here.invoices();
            assertThat(shop.sold()).isEqualTo(3);
        });
    }
}
