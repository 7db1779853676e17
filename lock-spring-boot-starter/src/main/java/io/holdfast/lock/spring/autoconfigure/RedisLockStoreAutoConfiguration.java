package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.LockStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Keeps locks in Redis: in one of their own, if {@link LockConnectionDetails} or {@code holdfast.redis.url} name it; else in
 * the application's, by its connection factory; and without such a bean, where {@code spring.data.redis} says. Backs off
 * before a store or template of the application's own.
 */
@AutoConfiguration(
        after = QuorumLockStoreAutoConfiguration.class,
        afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnMissingBean({LockStore.class, LockTemplate.class})
@EnableConfigurationProperties(LockProperties.class)
@Import({OwnConnections.class, TimesNeedUnits.class})
public final class RedisLockStoreAutoConfiguration {

    /** Needs the connections that it is made from, so it is closed before them. */
    @Bean
    LockStore holdfastLockStore(
            ConfigurableListableBeanFactory beans,
            LockProperties properties,
            ObjectProvider<LockConnectionDetails> details,
            OwnConnections connections) {
        ConnectionFactories applications = new ConnectionFactories(beans);
        RedisProperties redis = properties.redis();
        LockConnectionDetails named = details.getIfAvailable();
        RedisServer own = named == null ? redis.server(connections.bundles()) : RedisServer.of(named);
        RedisLockSettings settings = redis.toSettings();
        RedisConnectionFactory factory;
        if (own != null) {
            applications.refuseMarked(named == null ? RedisProperties.URL : RedisProperties.DETAILS);
            factory = connections.open(own, settings);
        } else {
            factory = applications.isEmpty() ? connections.openApplications(settings) : applications.choose();
        }
        try {
            return new RedisLockStore(factory, settings);
        } catch (IllegalArgumentException e) {
            throw new LockSetupException(
                    String.valueOf(e.getMessage()),
                    "Change the configuration as described, or remove holdfast.redis.driver and"
                            + " holdfast.redis.replica-acks.",
                    e);
        }
    }
}
