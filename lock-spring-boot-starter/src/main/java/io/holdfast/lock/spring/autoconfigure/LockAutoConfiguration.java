package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.store.LockStore;
import org.crac.Resource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;

/** The template, on whatever store there is. */
@AutoConfiguration(
        after = {
            InMemoryLockStoreAutoConfiguration.class,
            QuorumLockStoreAutoConfiguration.class,
            RedisLockStoreAutoConfiguration.class
        })
@EnableConfigurationProperties({LockProperties.class, ShutdownProperties.class})
public final class LockAutoConfiguration {

    /** Needs the store, so it is closed before it. Listeners are asked for later, since they may need the template. */
    @Bean
    @ConditionalOnMissingBean(LockTemplate.class)
    @ConditionalOnBean(LockStore.class)
    LockEngine lockTemplate(
            LockStore store,
            LockProperties properties,
            ObjectProvider<LockListener> listeners,
            ObjectProvider<LockEngineCustomizer> customizers) {
        LockEngine.Builder builder = LockEngine.builder(store)
                .defaults(properties.toDefaults())
                .listeners(() -> listeners.orderedStream().toList());
        customizers.orderedStream().forEach(each -> each.customize(builder));
        return builder.build();
    }

    @Bean
    static LockShutdown lockShutdown(
            ApplicationContext context, ConfigurableListableBeanFactory beans, ShutdownProperties properties) {
        return new LockShutdown(context, beans, properties.await());
    }

    /** Applications without CRaC's API never load it. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Resource.class)
    static class Checkpoints {

        @Bean
        static LockCheckpoint lockCheckpoint(LockShutdown shutdown) {
            return new LockCheckpoint(shutdown);
        }
    }

    @Bean
    @ConditionalOnBooleanProperty("lock.fail-fast")
    FailFastCheck lockFailFastCheck(ObjectProvider<LockTemplate> templates) {
        return new FailFastCheck(templates);
    }

    @Bean
    static UnknownPropertyCheck lockUnknownPropertyCheck(Environment environment, ResourceLoader resources) {
        return new UnknownPropertyCheck(environment, () -> KnownProperties.read(resources.getClassLoader()));
    }
}
