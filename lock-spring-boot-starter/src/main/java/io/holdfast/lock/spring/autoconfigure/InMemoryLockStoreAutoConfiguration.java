package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.LockStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Keeps locks in memory, if {@code lock.store} says so. Comes before the configurations that keep them in Redis, which
 * back off then. Backs off itself before a store or template of the application's own.
 */
@AutoConfiguration(before = {QuorumLockStoreAutoConfiguration.class, RedisLockStoreAutoConfiguration.class})
@ConditionalOnMissingBean({LockStore.class, LockTemplate.class})
@Conditional(OnInMemory.class)
public final class InMemoryLockStoreAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(InMemoryLockStoreAutoConfiguration.class);

    @Bean
    LockStore lockStore(ConfigurableListableBeanFactory beans, Environment environment) {
        if (isPresent("org.springframework.boot.data.redis.autoconfigure.DataRedisProperties")
                && isPresent("org.springframework.data.redis.connection.RedisConnectionFactory")) {
            NoRedisForLocks.check(beans, environment);
        }
        log.warn(
                "Locks are kept in the memory of this process (lock.store=in-memory): they exclude nobody in another one");
        return new InMemoryLockStore();
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, InMemoryLockStoreAutoConfiguration.class.getClassLoader());
    }
}
