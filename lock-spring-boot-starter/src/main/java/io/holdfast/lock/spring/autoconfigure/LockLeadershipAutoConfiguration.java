package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.spring.aop.LockAdvisor;
import io.holdfast.lock.spring.leader.LeaderAdvisor;
import io.holdfast.lock.spring.leader.LeaderRoles;
import java.util.Map;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;

/**
 * Leadership. Has no condition: a method for the leader never runs on another instance, so without a store, calls to it fail.
 * Without roles, nothing is started, and no lock is acquired.
 */
@AutoConfiguration(after = LockAopAutoConfiguration.class)
@LocksEnabled
@Import(LeadershipRegistrar.class)
public final class LockLeadershipAutoConfiguration {

    /**
     * A child context uses those of its parent: otherwise an instance would be two candidates, and while one of them leads, the
     * methods in the other context are skipped.
     */
    @Bean(LeadershipRegistrar.ROLES)
    @ConditionalOnMissingBean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LeaderRoles holdfastLeaderRoles(BeanFactory beans) {
        return new LeaderRoles(
                beans,
                () -> LockProperties.areSet(beans)
                        ? beans.getBean(LockProperties.class).leadership()
                        : new LockProperties.Leadership(true, null, Map.of()));
    }

    /** Further out than locks: a skipped call needs no lock. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LeaderAdvisor holdfastLeaderAdvisor(ConfigurableListableBeanFactory beans, LockAdvisor locks) {
        return new LeaderAdvisor(beans, locks.getOrder() - 1);
    }

    /** Created on demand; ends with its roles. */
    @Bean(destroyMethod = "")
    @Lazy
    @ConditionalOnMissingBean
    LeaderElection holdfastLeaderElection(LeaderRoles roles) {
        return roles.withRoles();
    }
}
