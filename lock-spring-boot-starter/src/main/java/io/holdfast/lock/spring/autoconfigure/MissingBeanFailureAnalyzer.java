package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.leader.Leadership;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Reports a missing {@link LockTemplate} bean if the starter is disabled, and a missing {@link Leadership} bean if the properties
 * do not name its role. Spring Boot would report them too, but would advise defining the bean.
 */
@Order(0)
final class MissingBeanFailureAnalyzer extends AbstractInjectionFailureAnalyzer<NoSuchBeanDefinitionException> {

    private final BeanFactory beans;
    private final Environment environment;

    MissingBeanFailureAnalyzer(BeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(
            Throwable rootFailure, NoSuchBeanDefinitionException cause, @Nullable String description) {
        ResolvableType type = cause.getResolvableType();
        String user = description == null ? "The application" : description;
        if (type != null
                && type.resolve() == LockTemplate.class
                && !environment.getProperty("holdfast.enabled", Boolean.class, true)) {
            return new FailureAnalysis(
                    user + " requires a LockTemplate bean, but holdfast.enabled is false.",
                    "Remove the property holdfast.enabled, which turns off the lock-spring-boot-starter.",
                    cause);
        }
        if (type == null
                || type.resolve() != Leadership.class
                || cause instanceof NoUniqueBeanDefinitionException
                || !beans.containsBean(LeadershipRegistrar.ROLES)) {
            return null;
        }
        return new FailureAnalysis(
                user + " requires a Leadership bean, but no property under holdfast.leadership.roles names its role.",
                "Set any property of the role, such as holdfast.leadership.roles.<role>.enabled=true. Or, if no"
                        + " @LeaderOnly names the role, inject LeaderElection and call join.",
                cause);
    }
}
