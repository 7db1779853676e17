package io.holdfast.lock.migration.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.holdfast.lock.migration.HoldfastClient;
import io.holdfast.lock.migration.Holding;
import io.holdfast.lock.migration.Redis;
import io.holdfast.lock.migration.Shop;
import io.holdfast.lock.migration.Stock;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.api.RedissonClient;

/** What the recipes make of the locks does the same on Redis as before. */
@Tag("full")
class RedissonMigratedTest {

    private static RedissonClient redisson;
    private static HoldfastClient holdfast;
    private static HoldfastClient otherHoldfast;

    private final long id = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);

    @BeforeAll
    static void open() {
        redisson = RedissonMigrated.client("redis://127.0.0.1:" + Redis.port());
        holdfast = new HoldfastClient();
        otherHoldfast = new HoldfastClient();
    }

    @AfterAll
    static void close() {
        redisson.shutdown();
        holdfast.close();
        otherHoldfast.close();
    }

    private static RedissonMigrated here(Shop shop) {
        return new RedissonMigrated(redisson, holdfast.locks(), shop);
    }

    private static RedissonMigrated there(Shop shop) {
        return new RedissonMigrated(redisson, otherHoldfast.locks(), shop);
    }

    /** Each kind of exclusive lock. */
    enum Kind {
        LOCK {
            @Override
            void run(RedissonMigrated shop, long id) {
                shop.lock(id);
            }
        },
        FAIR {
            @Override
            void run(RedissonMigrated shop, long id) {
                shop.fair(id);
            }
        },
        MULTI {
            @Override
            void run(RedissonMigrated shop, long id) {
                shop.multi(id, id + 1);
            }
        },
        FENCED {
            @Override
            void run(RedissonMigrated shop, long id) {
                shop.fenced(id);
            }
        };

        abstract void run(RedissonMigrated shop, long id);
    }

    @ParameterizedTest
    @EnumSource
    void locks_exclude_each_other(Kind kind) throws Exception {
        Stock stock = new Stock();
        stock.assertThatNothingIsForgotten(List.of(() -> kind.run(here(stock), id), () -> kind.run(there(stock), id)));
    }

    @Test
    void nothing_is_charged_while_another_client_holds_the_lock() throws Exception {
        Stock stock = new Stock();
        try (Holding held = Holding.inside(shop -> there(shop).lock(id))) {
            assertThat(here(stock).tryLock(id)).isFalse();
            assertThatIllegalStateException().isThrownBy(() -> here(stock).lease(id));
        }
        here(stock).lease(id);
        assertThat(stock.sold()).isOne();
    }

    @Test
    void readers_read_together_and_writers_are_alone() {
        try (Holding held = Holding.inside(shop -> there(shop).read(id))) {
            assertThat(here(new Stock()).read(id)).isEqualTo(id);
            assertThat(holdfast.locks()
                            .getReadWriteLock("price:" + id)
                            .writeLock()
                            .tryLock())
                    .isFalse();
        }
    }

    @Test
    void third_caller_finds_no_permit() {
        try (Holding first = Holding.inside(shop -> here(shop).permit(id));
                Holding second = Holding.inside(shop -> there(shop).permit(id))) {
            assertThat(holdfast.locks().getSemaphore("gateway", 2).tryLock()).isFalse();
        }
    }
}
