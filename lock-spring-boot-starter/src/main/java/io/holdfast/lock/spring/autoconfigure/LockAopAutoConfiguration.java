package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.quorum.QuorumLockStore;
import io.holdfast.lock.spring.annotation.LockRequestCustomizer;
import io.holdfast.lock.spring.aop.ChildContextCheck;
import io.holdfast.lock.spring.aop.EarlyReferenceCheck;
import io.holdfast.lock.spring.aop.LockAdvisor;
import io.holdfast.lock.spring.aop.LockStartupCheck;
import io.holdfast.lock.spring.leader.LeaderAdvisor;
import io.holdfast.lock.store.LockStore;
import java.util.stream.Stream;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
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

    private static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    /** The leader is checked further outside, so there must be a place. */
    private static final int OUTERMOST = Ordered.HIGHEST_PRECEDENCE + 1;

    /**
     * Made before ordinary beans, so it takes the one property that it needs then from the environment, and everything
     * else when a locked method is called.
     */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockAdvisor holdfastLockAdvisor(
            ConfigurableListableBeanFactory beans,
            Environment environment,
            ObjectProvider<LockTemplate> templates,
            ObjectProvider<LockRequestCustomizer> customizers,
            ObjectProvider<LockProperties> properties) {
        int order = Binder.get(environment)
                .bind("holdfast.aop.order", Integer.class)
                .orElse(DEFAULT_ORDER);
        return new LockAdvisor(
                beans,
                templates,
                customizers,
                () -> properties.getObject().toSettings(isQuorum(beans)),
                Math.max(order, OUTERMOST));
    }

    /** If there are other stores as well, it is unknown which one the template uses. */
    private static boolean isQuorum(ConfigurableListableBeanFactory beans) {
        int quorums = countOf(beans, QuorumLockStore.class);
        return quorums > 0 && quorums == countOf(beans, LockStore.class);
    }

    private static int countOf(ConfigurableListableBeanFactory beans, Class<?> type) {
        return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false).length;
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockStartupCheck holdfastStartupCheck(ConfigurableListableBeanFactory beans, LockAdvisor advisor) {
        return new LockStartupCheck(beans, advisor);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static EarlyReferenceCheck holdfastEarlyReferenceCheck(
            ObjectProvider<LockAdvisor> locks, ObjectProvider<LeaderAdvisor> leaders) {
        return new EarlyReferenceCheck(() -> Stream.concat(
                locks.stream().map(LockAdvisor::getPointcut), leaders.stream().map(LeaderAdvisor::getPointcut)));
    }

    @Bean
    static WarmUp holdfastWarmUp(ConfigurableListableBeanFactory beans, ObjectProvider<LockStore> stores) {
        return new WarmUp(beans, stores);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ChildContextCheck holdfastChildContextCheck(ApplicationContext context, LockAdvisor advisor) {
        return new ChildContextCheck(context, advisor);
    }
}
