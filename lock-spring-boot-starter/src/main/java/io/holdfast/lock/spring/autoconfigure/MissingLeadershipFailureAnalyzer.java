package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.leader.Leadership;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.InjectionPoint;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.UnsatisfiedDependencyException;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * A {@link Leadership} bean of a role that the properties do not name. Spring Boot says so too, but advises to define the bean, which
 * is done by naming the role.
 */
@Order(0)
final class MissingLeadershipFailureAnalyzer extends AbstractInjectionFailureAnalyzer<NoSuchBeanDefinitionException> {

    private static final String ROLES = "holdfast.leadership.roles";
    private static final String ANY = "<role>";

    /** Other names need brackets. */
    private static final Pattern PLAIN = Pattern.compile("[a-z0-9-]+|" + ANY);

    private final Environment environment;

    MissingLeadershipFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(
            Throwable rootFailure, NoSuchBeanDefinitionException cause, @Nullable String description) {
        ResolvableType type = cause.getResolvableType();
        if (type == null || type.resolve() != Leadership.class || cause instanceof NoUniqueBeanDefinitionException) {
            return null;
        }
        String qualifier = qualifier(rootFailure);
        Set<String> named = roles();
        if (qualifier == null ? !named.isEmpty() : named.contains(qualifier)) {
            return null; // the auto-configuration of leadership is missing, for example in a test slice
        }
        String role = qualifier == null ? ANY : qualifier;
        return new FailureAnalysis(
                (description == null ? "The application" : description) + " requires a Leadership bean"
                        + (qualifier == null
                                ? ", but no property under " + ROLES + " names a role."
                                : " for role '" + role + "', but no property under " + ROLES + " names this role."),
                "Set any property of the role, such as " + property(role)
                        + "=true. Or, if no @LeaderOnly names the role," + " inject LeaderElection and call join(\""
                        + role + "\").",
                cause);
    }

    private Set<String> roles() {
        return Binder.get(environment)
                .bind(ROLES, Bindable.mapOf(String.class, Object.class))
                .orElse(Map.of())
                .keySet();
    }

    private static String property(String role) {
        return ROLES + (PLAIN.matcher(role).matches() ? "." + role : "[" + role + "]") + ".enabled";
    }

    /** Of the innermost injection point: the outer ones ask for beans that need it. */
    private static @Nullable String qualifier(Throwable failure) {
        String role = null;
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof UnsatisfiedDependencyException unsatisfied) {
                InjectionPoint point = unsatisfied.getInjectionPoint();
                Qualifier qualifier = point == null ? null : point.getAnnotation(Qualifier.class);
                role = qualifier == null || qualifier.value().isBlank() ? null : qualifier.value();
            }
        }
        return role;
    }
}
