package io.holdfast.lock.migration.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.migration.HoldfastClient;
import io.holdfast.lock.migration.Holding;
import io.holdfast.lock.migration.Redis;
import io.holdfast.lock.migration.Shop;
import io.holdfast.lock.migration.Stock;
import io.holdfast.lock.migration.Stock.Sale;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.api.RLock;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;

@Tag("full")
class RedissonMigrationTest {

    private static RedissonClient redisson;
    private static RedissonClient otherRedisson;
    private static HoldfastClient holdfast;
    private static HoldfastClient otherHoldfast;

    private final long id = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);

    @BeforeAll
    static void open() {
        String address = "redis://127.0.0.1:" + Redis.port();
        redisson = RedissonBefore.client(address);
        otherRedisson = RedissonBefore.client(address);
        holdfast = new HoldfastClient();
        otherHoldfast = new HoldfastClient();
    }

    @AfterAll
    static void close() {
        redisson.shutdown();
        otherRedisson.shutdown();
        holdfast.close();
        otherHoldfast.close();
    }

    /** Each kind of exclusive lock that the page shows. */
    enum Kind {
        LOCK {
            @Override
            void before(RedissonBefore shop, long id, Shop work) {
                shop.lock(id);
            }

            @Override
            void after(RedissonAfter shop, long id, Shop work) {
                shop.lock(id);
            }
        },
        EXECUTE {
            @Override
            void before(RedissonBefore shop, long id, Shop work) {
                shop.lock(id);
            }

            @Override
            void after(RedissonAfter shop, long id, Shop work) {
                shop.execute(id);
            }
        },
        LEASE {
            @Override
            void before(RedissonBefore shop, long id, Shop work) throws InterruptedException {
                shop.lease(id);
            }

            @Override
            void after(RedissonAfter shop, long id, Shop work) {
                shop.lease(id);
            }
        },
        FAIR {
            @Override
            void before(RedissonBefore shop, long id, Shop work) {
                shop.fair(id);
            }

            @Override
            void after(RedissonAfter shop, long id, Shop work) {
                shop.fair(id);
            }
        },
        MULTI {
            @Override
            void before(RedissonBefore shop, long id, Shop work) {
                shop.multi(id, id + 1);
            }

            @Override
            void after(RedissonAfter shop, long id, Shop work) {
                shop.multi(id, id + 1);
            }
        },
        FENCED {
            @Override
            void before(RedissonBefore shop, long id, Shop work) {
                shop.fenced(id);
            }

            @Override
            void after(RedissonAfter shop, long id, Shop work) {
                shop.fenced(id);
            }
        },
        ASYNC {
            @Override
            void before(RedissonBefore shop, long id, Shop work) throws Exception {
                shop.async(id, elsewhere(work, id)).toCompletableFuture().get(1, TimeUnit.MINUTES);
            }

            @Override
            void after(RedissonAfter shop, long id, Shop work) throws Exception {
                shop.async(id, elsewhere(work, id)).toCompletableFuture().get(1, TimeUnit.MINUTES);
            }
        };

        abstract void before(RedissonBefore shop, long id, Shop work) throws Exception;

        abstract void after(RedissonAfter shop, long id, Shop work) throws Exception;

        private static Supplier<CompletionStage<Void>> elsewhere(Shop work, long id) {
            return () -> CompletableFuture.runAsync(() -> work.charge(id));
        }
    }

    @ParameterizedTest
    @EnumSource
    void former_locks_exclude_each_other(Kind kind) throws Exception {
        Stock stock = new Stock();
        RedissonBefore here = new RedissonBefore(redisson, stock);
        RedissonBefore there = new RedissonBefore(otherRedisson, stock);

        stock.assertThatNothingIsForgotten(
                List.of(() -> kind.before(here, id, stock), () -> kind.before(there, id, stock)));
    }

    @ParameterizedTest
    @EnumSource
    void new_locks_exclude_each_other(Kind kind) throws Exception {
        Stock stock = new Stock();
        RedissonAfter here = new RedissonAfter(holdfast.locks(), stock);
        RedissonAfter there = new RedissonAfter(otherHoldfast.locks(), stock);

        stock.assertThatNothingIsForgotten(
                List.of(() -> kind.after(here, id, stock), () -> kind.after(there, id, stock)));
    }

    @Test
    void nothing_is_charged_while_another_client_holds_the_former_lock() {
        try (Holding held = Holding.inside(shop -> new RedissonBefore(otherRedisson, shop).lock(id))) {
            Stock stock = new Stock();
            assertThat(new RedissonBefore(redisson, stock).tryLock(id)).isFalse();
            assertThat(stock.sold()).isZero();
        }
    }

    @Test
    void nothing_is_charged_while_another_client_holds_the_new_lock() {
        try (Holding held = Holding.inside(shop -> new RedissonAfter(otherHoldfast.locks(), shop).lock(id))) {
            Stock stock = new Stock();
            assertThat(new RedissonAfter(holdfast.locks(), stock).tryLock(id)).isFalse();
            assertThat(stock.sold()).isZero();
        }
    }

    @Test
    void readers_of_the_former_lock_read_together() {
        try (Holding held = Holding.inside(shop -> new RedissonBefore(otherRedisson, shop).read(id))) {
            assertThat(new RedissonBefore(redisson, new Stock()).read(id)).isEqualTo(id);
        }
    }

    @Test
    void readers_of_the_new_lock_read_together() {
        try (Holding held = Holding.inside(shop -> new RedissonAfter(otherHoldfast.locks(), shop).read(id))) {
            assertThat(new RedissonAfter(holdfast.locks(), new Stock()).read(id))
                    .isEqualTo(id);
        }
    }

    @Test
    void writer_of_the_former_lock_is_alone() {
        try (Holding held = Holding.inside(shop -> new RedissonBefore(otherRedisson, shop).write(id))) {
            RReadWriteLock price = redisson.getReadWriteLock("price:" + id);
            assertThat(price.readLock().tryLock()).isFalse();
            assertThat(price.writeLock().tryLock()).isFalse();
        }
    }

    @Test
    void writer_of_the_new_lock_is_alone() {
        try (Holding held = Holding.inside(shop -> new RedissonAfter(otherHoldfast.locks(), shop).write(id))) {
            ReadWriteLock price = holdfast.locks().getReadWriteLock("price:" + id);
            assertThat(price.readLock().tryLock()).isFalse();
            assertThat(price.writeLock().tryLock()).isFalse();
        }
    }

    @Test
    void third_caller_finds_no_former_permit() {
        try (Holding first = Holding.inside(shop -> new RedissonBefore(redisson, shop).permit(id));
                Holding second = Holding.inside(shop -> new RedissonBefore(otherRedisson, shop).permit(id))) {
            assertThat(redisson.getSemaphore("gateway").tryAcquire()).isFalse();
        }
    }

    @Test
    void third_caller_finds_no_new_permit() {
        try (Holding first = Holding.inside(shop -> new RedissonAfter(holdfast.locks(), shop).permit(id));
                LockHandle second = new RedissonAfter(otherHoldfast.locks(), new Stock()).take()) {
            assertThat(holdfast.locks().getSemaphore("gateway", 2).tryLock()).isFalse();
        }
    }

    @Test
    void permits_with_a_lease_are_taken_and_given_back() throws Exception {
        Stock stock = new Stock();
        for (int i = 0; i < 3; i++) {
            assertThat(new RedissonBefore(redisson, stock).expirable(id)).isTrue();
            assertThat(new RedissonAfter(holdfast.locks(), stock).expirable(id)).isTrue();
        }
        assertThat(stock.sold()).isEqualTo(6);
    }

    @Test
    void former_lease_ends_in_the_middle_of_the_work() {
        RLock lock = redisson.getLock("order:" + id);
        lock.lock(100, TimeUnit.MILLISECONDS);

        await().dontCatchUncaughtExceptions().until(() -> !lock.isLocked());

        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void new_lease_is_renewed_though_it_was_given() {
        LockRequest order = LockRequest.of("order:" + id).lease(Duration.ofSeconds(9));
        try (LockHandle lock = holdfast.locks().acquire(order)) {
            Duration[] last = {lock.remaining()};
            await().dontCatchUncaughtExceptions().until(() -> {
                Duration before = last[0];
                last[0] = lock.remaining();
                return last[0].compareTo(before) > 0;
            });
        }
    }

    @Test
    void lost_lock_is_told_at_unlock() {
        Lock lock = holdfast.locks().getLock("order:" + id);
        lock.lock();
        otherHoldfast.locks().forceRelease("order:" + id);

        assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
    }

    @Test
    void new_tokens_are_greater_than_the_former_ones() {
        long[] tokens = new long[2];
        new RedissonBefore(redisson, token(tokens, 0)).fenced(id);
        new RedissonAfter(holdfast.locks(), token(tokens, 1)).fenced(id);

        assertThat(tokens[1]).isGreaterThan(tokens[0]);
    }

    private static Shop token(long[] tokens, int place) {
        return new Shop() {
            @Override
            public void charge(long id) {
                throw new AssertionError("Without a token");
            }

            @Override
            public void charge(long id, long fencingToken) {
                tokens[place] = fencingToken;
            }
        };
    }

    @Test
    void release_with_both_locks_excludes_the_one_before_and_the_one_after() throws Exception {
        Stock stock = new Stock();
        Lock both = RedissonAfter.order(id, otherRedisson, otherHoldfast.locks());
        Sale before = () -> new RedissonBefore(redisson, stock).lock(id);
        Sale between = () -> {
            both.lock();
            try {
                stock.charge(id);
            } finally {
                both.unlock();
            }
        };
        stock.assertThatNothingIsForgotten(List.of(before, between));

        Stock next = new Stock();
        Sale later = () -> {
            both.lock();
            try {
                next.charge(id);
            } finally {
                both.unlock();
            }
        };
        Sale after = () -> new RedissonAfter(holdfast.locks(), next).lock(id);
        next.assertThatNothingIsForgotten(List.of(later, after));
    }
}
