package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.LockStore;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.util.ClassUtils;

/**
 * Keeps locks in memory, if {@code holdfast.store} says so. Comes before the configurations that keep them in Redis, which
 * back off then. Backs off itself before a store or template of the application's own.
 */
@AutoConfiguration(before = {QuorumLockStoreAutoConfiguration.class, RedisLockStoreAutoConfiguration.class})
@ConditionalOnMissingBean({LockStore.class, LockTemplate.class})
@Conditional(OnInMemory.class)
@EnableConfigurationProperties(LockProperties.class)
@Import(TimesNeedUnits.class)
public final class InMemoryLockStoreAutoConfiguration {

    private static final String IN_MEMORY = "holdfast.store=in-memory";

    private static final Logger log = LoggerFactory.getLogger(InMemoryLockStoreAutoConfiguration.class);

    @Bean
    LockStore holdfastLockStore(
            ConfigurableListableBeanFactory beans,
            LockProperties properties,
            ObjectProvider<LockConnectionDetails> details) {
        refuseRedis(properties, details.getIfAvailable());
        if (isPresent("org.springframework.data.redis.connection.RedisConnectionFactory")) {
            new ConnectionFactories(beans).refuseMarked(IN_MEMORY);
        }
        log.warn("Locks are kept in memory and do not work across processes (holdfast.store=in-memory)");
        return new InMemoryLockStore();
    }

    /** One of the two is a mistake. */
    private static void refuseRedis(LockProperties properties, @Nullable LockConnectionDetails details) {
        List<String> given = properties.redis().givenServer(details);
        if (!properties.quorum().servers().isEmpty()) {
            given.add("holdfast.quorum.nodes");
        }
        if (!given.isEmpty()) {
            throw new LockSetupException(
                    IN_MEMORY + " is set together with " + String.join(", ", given) + ".",
                    "Remove one or the other: locks are kept either in memory or in Redis.",
                    null);
        }
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, InMemoryLockStoreAutoConfiguration.class.getClassLoader());
    }
}
