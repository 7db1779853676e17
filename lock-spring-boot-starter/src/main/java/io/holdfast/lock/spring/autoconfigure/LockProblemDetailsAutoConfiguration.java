package io.holdfast.lock.spring.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.ExceptionHandler;

/** Problem details for web clients, if {@code holdfast.problem-details.enabled} is true. */
@AutoConfiguration
@ConditionalOnClass(ExceptionHandler.class)
@ConditionalOnWebApplication
@ConditionalOnBooleanProperty(name = "holdfast.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty("holdfast.problem-details.enabled")
@EnableConfigurationProperties(LockProperties.class)
@Import(TimesNeedUnits.class)
public final class LockProblemDetailsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LockProblemDetails holdfastProblemDetails(LockProperties properties) {
        LockProperties.ProblemDetails details = properties.problemDetails();
        return new LockProblemDetails(details.status(), details.retryAfter());
    }
}
