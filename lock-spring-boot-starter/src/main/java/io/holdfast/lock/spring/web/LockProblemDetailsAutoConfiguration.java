package io.holdfast.lock.spring.web;

import java.time.Duration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.ExceptionHandler;

/** Problem details for web clients, if {@code holdfast.web.problem-details} is true. */
@AutoConfiguration
@ConditionalOnClass(ExceptionHandler.class)
@ConditionalOnWebApplication
@ConditionalOnBooleanProperty("holdfast.web.problem-details")
public final class LockProblemDetailsAutoConfiguration {

    @Bean
    LockProblemDetails holdfastProblemDetails(Environment environment) {
        return new LockProblemDetails(
                environment.getProperty("holdfast.web.not-acquired-status", int.class, 409),
                environment.getProperty("holdfast.web.retry-after", Duration.class, Duration.ofSeconds(1)));
    }
}
