package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.engine.LockEngineBuilder;
import io.holdfast.lock.quorum.QuorumLockStore;
import io.holdfast.lock.spring.aop.LockInterceptor;
import io.holdfast.lock.store.LockStore;
import org.crac.Context;
import org.crac.Core;
import org.crac.Resource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** The template, on top of any store. */
@AutoConfiguration(after = LockStoreAutoConfiguration.class)
@LocksEnabled
public final class LockAutoConfiguration {

    static final String TEMPLATE = "holdfastLockTemplate";

    private static final Logger log = LoggerFactory.getLogger(LockAutoConfiguration.class);

    /**
     * Depends on the store, so it is closed before the store. Listeners are looked up later, since they may need the template.
     * Created at startup by {@link StoreCheck} in an application that uses locks.
     */
    @Bean(TEMPLATE)
    @Lazy
    @ConditionalOnMissingBean(LockTemplate.class)
    @ConditionalOnBean(LockStore.class)
    LockEngine holdfastLockTemplate(
            LockStore store,
            LockProperties properties,
            Environment environment,
            ObjectProvider<LockListener> listeners,
            ObjectProvider<LockEngineBuilderCustomizer> customizers) {
        LockEngineBuilder builder = LockEngine.builder(store)
                .defaults(properties::defaults)
                .maskKeys(properties.maskKeys())
                .maxAsyncWaiting(properties.async().maxWaiting())
                .maxDataSize((int) properties.maxDataSize().toBytes())
                .listeners(() -> listeners.orderedStream().toList());
        if (Threading.VIRTUAL.isActive(environment)) {
            builder.executor(new VirtualThreadTaskExecutor("holdfast-async-"));
        }
        customizers.orderedStream().forEach(each -> each.customize(builder));
        log.info("Locks are kept in {}", store);
        properties.doubts(store instanceof QuorumLockStore).forEach(doubt -> log.warn("{}.", doubt));
        return builder.build();
    }

    @Bean(LockInterceptor.SHUTDOWN)
    @ConditionalOnMissingBean(name = LockInterceptor.SHUTDOWN, search = SearchStrategy.CURRENT)
    static LockShutdown holdfastShutdown(ApplicationContext context, ConfigurableListableBeanFactory beans) {
        return new LockShutdown(context, beans);
    }

    /**
     * Ensures that no copy of this process continues with locks from before a checkpoint: for CRaC, and for services that use its
     * API, such as SnapStart.
     *
     * <p>Spring stops and starts its own parts around a checkpoint. Locks are suspended before that, because resources are
     * notified in the reverse order of their registration, and Spring's lifecycle registers when its context is created. Locks
     * resume when Spring starts {@link LockShutdown} again, before its executors and its web server, or at the latest here.
     *
     * <p>Applications without CRaC's API never load it.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Resource.class)
    @Lazy(false)
    static final class Checkpoint implements Resource {

        private final LockShutdown locks;

        /** Registers this object, which only the application context keeps alive. An application may have replaced the shutdown. */
        Checkpoint(
                ObjectProvider<LockShutdown> locks, ApplicationContext context, ConfigurableListableBeanFactory beans) {
            this.locks = locks.getIfAvailable(() -> new LockShutdown(context, beans));
            Core.getGlobalContext().register(this);
        }

        @Override
        public void beforeCheckpoint(Context<? extends Resource> context) throws InterruptedException {
            locks.suspend();
        }

        @Override
        public void afterRestore(Context<? extends Resource> context) {
            locks.resume();
        }
    }
}
