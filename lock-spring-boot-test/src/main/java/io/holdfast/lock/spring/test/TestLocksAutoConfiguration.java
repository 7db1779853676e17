package io.holdfast.lock.spring.test;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.autoconfigure.LockAutoConfiguration;
import io.holdfast.lock.spring.autoconfigure.LockEngineBuilderCustomizer;
import io.holdfast.lock.spring.autoconfigure.LockStoreAutoConfiguration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/** Provides the in-memory store for a test. Runs before the other auto-configurations, which then back off. */
@AutoConfiguration(before = {LockStoreAutoConfiguration.class, LockAutoConfiguration.class})
@ConditionalOnBooleanProperty(name = "holdfast.enabled", matchIfMissing = true)
public final class TestLocksAutoConfiguration {

    @Bean
    @Primary
    SimulatedLockStore holdfastTestLockStore() {
        return new SimulatedLockStore();
    }

    @Bean
    LockEngineBuilderCustomizer holdfastTestLocksCustomizer(SimulatedLockStore store) {
        return builder -> builder.requests(store::withoutVainWait);
    }

    @Bean
    TestLocks holdfastTestLocks(SimulatedLockStore store, ObjectProvider<LockTemplate> templates) {
        return new TestLocks(store, templates::getObject);
    }

    /** Not for the application's own injection points. Where the application has a clock for jobs, that stays in place. */
    @Bean(defaultCandidate = false)
    @ConditionalOnMissingBean(name = "holdfastJobsClock")
    JobsClock holdfastJobsClock(TestLocks testLocks) {
        return testLocks.jobsClock();
    }
}
