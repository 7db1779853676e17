package io.holdfast.lock.spring.observe;

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

    @Bean
    @Lazy
    LeadershipEvents holdfastLeadershipEvents(ApplicationEventPublisher application) {
        return new LeadershipEvents(application);
    }
}
