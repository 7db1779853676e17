package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.spring.aop.LockAdvisor;
import io.holdfast.lock.spring.aop.LockInterceptor;
import io.holdfast.lock.spring.aop.LockStartupCheck;
import io.holdfast.lock.spring.definition.LockOperationSource;
import io.holdfast.lock.store.LockStore;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * Locks annotated methods. Has no condition: an annotated method never runs without its lock, so without a store it
 * fails.
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@EnableConfigurationProperties(LockProperties.class)
@Import({ProxyCreatorRegistrar.class, TimesNeedUnits.class})
public final class LockAopAutoConfiguration {

    private static final String INTERCEPTOR = "holdfastLockInterceptor";
    private static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    /** The leader is checked further outside, so there must be a place. */
    private static final int OUTERMOST = Ordered.HIGHEST_PRECEDENCE + 1;

    /** Made before ordinary beans, so it asks for properties when it needs them. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockOperationSource holdfastLockOperationSource(
            ConfigurableListableBeanFactory beans, ObjectProvider<LockProperties> properties) {
        return new LockOperationSource(beans, () -> properties.getObject().toOptions());
    }

    /** Made for the first proxy: an application without locked methods does not load it. */
    @Bean(INTERCEPTOR)
    @Lazy
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static MethodInterceptor holdfastLockInterceptor(
            ConfigurableListableBeanFactory beans, LockOperationSource operations) {
        return new LockInterceptor(beans, operations);
    }

    /** Takes the one property that it needs from the environment, since it is made before ordinary beans. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockAdvisor holdfastLockAdvisor(Environment environment, LockOperationSource operations) {
        int order = Binder.get(environment)
                .bind("holdfast.aop.order", Integer.class)
                .orElse(DEFAULT_ORDER);
        return new LockAdvisor(operations, INTERCEPTOR, Math.max(order, OUTERMOST));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockStartupCheck holdfastStartupCheck(
            ConfigurableListableBeanFactory beans, LockOperationSource operations, LockAdvisor advisor) {
        return new LockStartupCheck(beans, operations, advisor);
    }

    @Bean
    static WarmUp holdfastWarmUp(ConfigurableListableBeanFactory beans, ObjectProvider<LockStore> stores) {
        return new WarmUp(beans, stores);
    }
}
