package io.holdfast.lock.spring.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.ExceptionHandler;

/** Problem details for web clients, if {@code holdfast.problem-details.enabled} is true. */
@AutoConfiguration
@ConditionalOnClass(ExceptionHandler.class)
@ConditionalOnWebApplication
@LocksEnabled
@ConditionalOnBooleanProperty("holdfast.problem-details.enabled")
public final class LockProblemDetailsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "holdfastProblemDetails")
    LockProblemDetails holdfastProblemDetails(LockProperties properties) {
        return new LockProblemDetails(properties.problemDetails());
    }
}
