package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.spring.aop.LockAdvisor;
import io.holdfast.lock.spring.aop.LockInterceptor;
import io.holdfast.lock.spring.aop.LockStartupCheck;
import io.holdfast.lock.spring.definition.LockOperationSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Locks annotated methods. Has no condition other than the property that enables the starter: an annotated method never runs
 * without its lock, so without a store, calls to it fail.
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@LocksEnabled
@Import(LockAopAutoConfiguration.ProxyCreator.class)
public final class LockAopAutoConfiguration {

    private static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    /** Leaves room for the leader check, which is further out. */
    private static final int OUTERMOST = Ordered.HIGHEST_PRECEDENCE + 1;

    /** Created before ordinary beans, so it looks up properties only when it needs them. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockOperationSource holdfastLockOperationSource(
            ConfigurableListableBeanFactory beans, ObjectProvider<LockProperties> properties) {
        return new LockOperationSource(beans, () -> properties.getObject().toOptions());
    }

    /** Created for the first proxy: an application without locked methods does not load it. */
    @Bean(LockAdvisor.INTERCEPTOR)
    @Lazy
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static MethodInterceptor holdfastLockInterceptor(
            ConfigurableListableBeanFactory beans, LockOperationSource operations) {
        return new LockInterceptor(beans, operations);
    }

    /** Reads the only property that it needs from the environment, since it is created before ordinary beans. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockAdvisor holdfastLockAdvisor(Environment environment, LockOperationSource operations) {
        int order = Binder.get(environment)
                .bind("holdfast.aop.order", Integer.class)
                .orElse(DEFAULT_ORDER);
        return new LockAdvisor(operations, Math.max(order, OUTERMOST));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockStartupCheck holdfastStartupCheck(
            ConfigurableListableBeanFactory beans, LockOperationSource operations, LockAdvisor advisor) {
        return new LockStartupCheck(beans, operations, advisor, LockProperties.areSet(beans));
    }

    @Bean
    static StoreCheck holdfastStoreCheck(ConfigurableApplicationContext context) {
        return new StoreCheck(context);
    }

    /**
     * Registers a proxy creator even if Boot's own is missing: in a test slice, or with proxies for interfaces only.
     */
    record ProxyCreator(Environment environment) implements ImportBeanDefinitionRegistrar {

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            if (!environment.getProperty("spring.aop.auto", Boolean.class, true)) {
                return;
            }
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
            if (environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true)) {
                AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
            }
        }
    }
}
