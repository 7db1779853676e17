package io.holdfast.lock.spring.autoconfigure.observation;

import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.autoconfigure.LockAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.micrometer.metrics.MaximumAllowableTagsMeterFilter;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Meters, if there is a registry for them. */
@AutoConfiguration(
        after = {LockAutoConfiguration.class, LockObservationAutoConfiguration.class},
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
@ConditionalOnBean(LockTemplate.class)
@ConditionalOnBooleanProperty(name = "holdfast.enabled", matchIfMissing = true)
public final class LockMetricsAutoConfiguration {

    /** With observations, acquisitions are already timed. */
    @Bean
    @ConditionalOnMissingBean(name = "holdfastMetrics")
    LockMetrics holdfastMetrics(
            MeterRegistry registry,
            ObjectProvider<LocalLocks> local,
            ObjectProvider<LockObservations> observations,
            ObjectProvider<MeterObservationHandler<?>> handlers) {
        boolean observed = observations.getIfAvailable() != null
                && handlers.stream().findAny().isPresent();
        return new LockMetrics(registry, local::getIfUnique, !observed);
    }

    @Bean
    @Lazy
    @ConditionalOnMissingBean(name = "holdfastLeadershipMeters")
    LeadershipMeters holdfastLeadershipMeters(MeterRegistry registry) {
        return new LeadershipMeters(registry);
    }

    @Bean
    @Lazy
    @ConditionalOnMissingBean(name = "holdfastJobMeters")
    JobMeters holdfastJobMeters(MeterRegistry registry) {
        return new JobMeters(registry);
    }

    /** Limits the number of meters if names are built from data. */
    @Bean
    @ConditionalOnClass(MaximumAllowableTagsMeterFilter.class)
    @ConditionalOnMissingBean(name = "holdfastNamesFilter")
    static MeterFilter holdfastNamesFilter() {
        return new MaximumAllowableTagsMeterFilter(
                "holdfast",
                "name",
                LockMetrics.MAX_NAMES,
                "Check whether the names of locks contain data that belongs in their keys.");
    }
}
