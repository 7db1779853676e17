package io.holdfast.lock.spring.web;

import io.holdfast.lock.spring.autoconfigure.TimesNeedUnits;
import java.time.Duration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.ExceptionHandler;

/** Problem details for web clients, if {@code holdfast.web.problem-details} is true. */
@AutoConfiguration
@ConditionalOnClass(ExceptionHandler.class)
@ConditionalOnWebApplication
@ConditionalOnBooleanProperty("holdfast.web.problem-details")
public final class LockProblemDetailsAutoConfiguration {

    /** Test slices have no other beans of the starter that would bind these properties. */
    @Bean
    LockProblemDetails holdfastProblemDetails(Environment environment) {
        Binder binder = Binder.get(environment, new TimesNeedUnits().apply(BindHandler.DEFAULT));
        return new LockProblemDetails(
                binder.bind("holdfast.web.not-acquired-status", Integer.class).orElse(409),
                binder.bind("holdfast.web.retry-after", Duration.class).orElse(Duration.ofSeconds(1)));
    }
}
