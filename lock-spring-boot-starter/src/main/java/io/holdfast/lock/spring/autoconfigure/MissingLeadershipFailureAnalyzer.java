package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.leader.Leadership;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;

/**
 * A {@link Leadership} bean of a role that the properties do not name. Spring Boot reports it too, but advises defining the
 * bean, which is done by naming the role.
 */
@Order(0)
final class MissingLeadershipFailureAnalyzer extends AbstractInjectionFailureAnalyzer<NoSuchBeanDefinitionException> {

    private final BeanFactory beans;

    MissingLeadershipFailureAnalyzer(BeanFactory beans) {
        this.beans = beans;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(
            Throwable rootFailure, NoSuchBeanDefinitionException cause, @Nullable String description) {
        ResolvableType type = cause.getResolvableType();
        if (type == null
                || type.resolve() != Leadership.class
                || cause instanceof NoUniqueBeanDefinitionException
                || !beans.containsBean(LeadershipRegistrar.ROLES)) {
            return null;
        }
        return new FailureAnalysis(
                (description == null ? "The application" : description)
                        + " requires a Leadership bean, but no property under holdfast.leadership.roles names its role.",
                "Set any property of the role, such as holdfast.leadership.roles.<role>.enabled=true. Or, if no"
                        + " @LeaderOnly names the role, inject LeaderElection and call join.",
                cause);
    }
}
