package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.LockStore;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Keeps locks in the application's Redis. Backs off before a store or template of the application's own. */
@AutoConfiguration(after = DataRedisAutoConfiguration.class)
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnMissingBean({LockStore.class, LockTemplate.class})
@Conditional(OnRedisConnectionFactory.class)
@EnableConfigurationProperties(LockProperties.class)
final class RedisLockStoreAutoConfiguration {

    @Bean
    LockStore lockStore(ConfigurableListableBeanFactory beans, LockProperties properties) {
        return new RedisLockStore(
                new ConnectionFactories(beans).choose(), properties.redis().toSettings());
    }
}
