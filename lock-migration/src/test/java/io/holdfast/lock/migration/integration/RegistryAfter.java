package io.holdfast.lock.migration.integration;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.migration.BothLocks;
import io.holdfast.lock.migration.Shop;
import io.holdfast.lock.spring.integration.HoldfastLockRegistry;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.scheduling.TaskScheduler;

/** The same with Holdfast: by another bean, or by its own template. */
final class RegistryAfter {

    private final LockTemplate lockTemplate;
    private final Shop shop;

    RegistryAfter(LockTemplate lockTemplate, Shop shop) {
        this.lockTemplate = lockTemplate;
        this.shop = shop;
    }

    // region bean
    @Configuration(proxyBeanMethods = false)
    static class Locks {

        @Bean
        HoldfastLockRegistry lockRegistry(LockTemplate lockTemplate) {
            return new HoldfastLockRegistry(lockTemplate, "shop", Duration.ofSeconds(20));
        }
    }
    // endregion

    void lock(long id) {
        Lock lock = lockTemplate.getLock("shop:order:" + id);
        lock.lock();
        try {
            shop.charge(id);
        } finally {
            lock.unlock();
        }
    }

    boolean tryLock(long id) {
        LockRequest order = LockRequest.of("shop:order:" + id).waitFor(Duration.ofSeconds(2));
        return lockTemplate.tryExecute(order, () -> shop.charge(id)).executed();
    }

    void execute(long id) {
        LockRequest order = LockRequest.of("shop:order:" + id).waitFor(Duration.ofSeconds(2));
        lockTemplate.execute(order, () -> shop.charge(id));
    }

    void ttl(long id) {
        LockRequest order = LockRequest.of("shop:order:" + id).lease(Duration.ofSeconds(10));
        try (LockHandle lock = lockTemplate.acquire(order)) {
            lock.extend(Duration.ofMinutes(1));
            shop.charge(id);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class BothRegistries {

        @Bean
        RedisLockRegistry former(RedisConnectionFactory redis, TaskScheduler scheduler) {
            RedisLockRegistry registry = new RedisLockRegistry(redis, "shop", Duration.ofSeconds(20));
            registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK); // as before
            registry.setRenewalTaskScheduler(scheduler);
            return registry;
        }

        // region both
        @Bean
        @Primary
        LockRegistry<Lock> lockRegistry(RedisLockRegistry former, LockTemplate lockTemplate) {
            HoldfastLockRegistry next = new HoldfastLockRegistry(lockTemplate, "shop", Duration.ofSeconds(20));
            return key -> new BothLocks(former.obtain(key), next.obtain(key));
        }
        // endregion
    }
}
