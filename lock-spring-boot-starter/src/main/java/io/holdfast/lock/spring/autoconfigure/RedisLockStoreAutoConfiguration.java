package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.LockStore;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Keeps locks in the application's Redis, or in one of their own. Backs off before a store or template of the
 * application's own.
 */
@AutoConfiguration(after = {DataRedisAutoConfiguration.class, QuorumLockStoreAutoConfiguration.class})
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnMissingBean({LockStore.class, LockTemplate.class})
@Conditional(OnRedis.class)
@EnableConfigurationProperties({LockProperties.class, LockConnectionProperties.class})
@Import(OwnConnections.class)
public final class RedisLockStoreAutoConfiguration {

    /** Needs the connections that it is made from, so it is closed before them. */
    @Bean
    LockStore lockStore(
            ConfigurableListableBeanFactory beans,
            Environment environment,
            LockProperties properties,
            LockConnectionProperties own,
            OwnConnections connections) {
        ConnectionFactories applications = new ConnectionFactories(beans);
        RedisConnectionFactory factory;
        if (own.given().isEmpty()) {
            factory = applications.choose();
        } else {
            own.checkServer();
            applications.refuseMarked(String.join(", ", own.given()));
            factory = connections.open(
                    "lock.redis", Binder.get(environment).bindOrCreate("lock.redis", DataRedisProperties.class));
        }
        return new RedisLockStore(factory, properties.redis().toSettings());
    }
}
