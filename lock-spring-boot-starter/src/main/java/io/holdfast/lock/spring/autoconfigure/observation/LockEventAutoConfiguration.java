package io.holdfast.lock.spring.autoconfigure.observation;

import io.holdfast.lock.spring.LeaderElectedEvent;
import io.holdfast.lock.spring.LeaderRevokedEvent;
import io.holdfast.lock.spring.jobs.JobObserver;
import io.holdfast.lock.spring.leader.LeadershipObserver;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Publishes lock events as application events. */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "holdfast.events.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "holdfast.enabled", matchIfMissing = true)
public final class LockEventAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "holdfastEventPublisher")
    LockEventPublisher holdfastEventPublisher(ApplicationEventPublisher application) {
        return new LockEventPublisher(application);
    }

    /** Publishes the beginning and the end of each run of a job on this instance. Created with the first job. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean(name = "holdfastJobEvents")
    JobObserver holdfastJobEvents(ApplicationEventPublisher application) {
        return application::publishEvent;
    }

    /** Publishes the beginning and the end of each term of this instance. Created with the first role. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean(name = "holdfastLeadershipEvents")
    LeadershipObserver holdfastLeadershipEvents(ApplicationEventPublisher application) {
        return leadership -> {
            leadership.onElected(term -> application.publishEvent(new LeaderElectedEvent(term)));
            leadership.onRevoked(term -> application.publishEvent(new LeaderRevokedEvent(term)));
        };
    }
}
