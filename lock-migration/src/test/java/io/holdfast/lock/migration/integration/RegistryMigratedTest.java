package io.holdfast.lock.migration.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.lock.migration.Applications;
import io.holdfast.lock.migration.Holding;
import io.holdfast.lock.migration.Shop;
import io.holdfast.lock.migration.Stock;
import io.holdfast.lock.spring.integration.HoldfastLockRegistry;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** What the recipes make of the registry does the same on Redis as before. */
@Tag("full")
class RegistryMigratedTest {

    private final long id = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    private final Stock stock = new Stock();
    private final ApplicationContextRunner migrated =
            Applications.holdfast().withUserConfiguration(RegistryMigrated.Locks.class);

    private static RegistryMigrated shop(ApplicationContext context, Shop shop) {
        return new RegistryMigrated(context.getBean(HoldfastLockRegistry.class), shop);
    }

    @Test
    void locks_exclude_each_other() {
        migrated.run(here -> migrated.run(there -> stock.assertThatNothingIsForgotten(List.of(
                () -> shop(here, stock).lock(id), () -> shop(there, stock).lock(id)))));
    }

    @Test
    void registry_gives_up_in_time() {
        migrated.run(here -> migrated.run(there -> {
            RegistryMigrated other = shop(there, stock);
            try (Holding held = Holding.inside(shop -> shop(here, shop).ttl(id))) {
                assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> other.execute(id));
            }
            assertThat(other.tryLock(id)).isTrue();
            other.maintenance();
        }));
    }
}
