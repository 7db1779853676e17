package io.holdfast.lock.migration.integration;

import io.holdfast.lock.migration.Shop;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.TaskScheduler;

/** How a shop locks with Spring Integration's registry on Redis. */
final class RegistryBefore {

    private final RedisLockRegistry registry;
    private final Shop shop;

    RegistryBefore(RedisLockRegistry registry, Shop shop) {
        this.registry = registry;
        this.shop = shop;
    }

    // region bean
    @Configuration(proxyBeanMethods = false)
    static class Locks {

        @Bean
        RedisLockRegistry lockRegistry(RedisConnectionFactory redis, TaskScheduler scheduler) {
            RedisLockRegistry registry = new RedisLockRegistry(redis, "shop", Duration.ofSeconds(20));
            registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
            registry.setRenewalTaskScheduler(scheduler);
            return registry;
        }
    }
    // endregion

    void lock(long id) {
        Lock lock = registry.obtain("order:" + id);
        lock.lock();
        try {
            shop.charge(id);
        } finally {
            lock.unlock();
        }
    }

    boolean tryLock(long id) throws InterruptedException {
        Lock lock = registry.obtain("order:" + id);
        if (!lock.tryLock(2, TimeUnit.SECONDS)) {
            return false;
        }
        try {
            shop.charge(id);
            return true;
        } finally {
            lock.unlock();
        }
    }

    void execute(long id) throws InterruptedException, TimeoutException {
        registry.executeLocked("order:" + id, Duration.ofSeconds(2), () -> shop.charge(id));
    }

    void ttl(long id) {
        registry.obtain("order:" + id).lock(Duration.ofSeconds(10));
        try {
            registry.renewLock("order:" + id, Duration.ofMinutes(1));
            shop.charge(id);
        } finally {
            registry.obtain("order:" + id).unlock();
        }
    }

    void maintenance() {
        registry.expireUnusedOlderThan(60_000);
    }
}
