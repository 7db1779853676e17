package io.holdfast.lock.spring.observe;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/** Events of locks as events of the application. */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "lock.events.publish", matchIfMissing = true)
@EnableConfigurationProperties(EventProperties.class)
public final class LockEventAutoConfiguration {

    @Bean
    LockEventPublisher lockEventPublisher(ApplicationEventPublisher application) {
        return new LockEventPublisher(application);
    }
}
