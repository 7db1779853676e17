package io.holdfast.lock.spring.autoconfigure.actuate;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.autoconfigure.LockAutoConfiguration;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Health of locks, named {@code locks}. */
@AutoConfiguration(
        after = LockAutoConfiguration.class,
        beforeName = "org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration")
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(LockTemplate.class)
@ConditionalOnEnabledHealthIndicator("locks")
@ConditionalOnBooleanProperty(name = "holdfast.enabled", matchIfMissing = true)
public final class LocksHealthContributorAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"locksHealthIndicator", "locksHealthContributor"})
    HealthIndicator locksHealthIndicator(BeanFactory beans) {
        return new LocksHealthIndicator(beans);
    }
}
