package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.api.LockActivity;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.autoconfigure.LockAutoConfiguration;
import io.holdfast.lock.spring.leader.LeaderRoles;
import io.holdfast.lock.store.LockStore;
import org.springframework.beans.factory.ObjectProvider;
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
public final class LocksHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "locksHealthIndicator")
    HealthIndicator locksHealthIndicator(
            ObjectProvider<LockTemplate> locks,
            ObjectProvider<LockActivity> activity,
            ObjectProvider<LockStore> store,
            ObjectProvider<LeaderRoles> roles) {
        return new LocksHealthIndicator(
                locks::getObject, activity::getIfUnique, store::getIfUnique, roles::getIfUnique);
    }
}
