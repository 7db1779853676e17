package io.holdfast.lock.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.origin.Origin;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/** A value that is not allowed, with the file and line where it is set. */
@Order(0)
final class InvalidLockPropertyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockPropertyException> {

    private final @Nullable Environment environment;

    InvalidLockPropertyFailureAnalyzer(@Nullable Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockPropertyException cause) {
        return new FailureAnalysis(cause.problem(originOf(cause.property())), cause.action(), cause);
    }

    private @Nullable Origin originOf(String property) {
        ConfigurationPropertyName name = ConfigurationPropertyName.ofIfValid(property);
        if (name == null || !(environment instanceof ConfigurableEnvironment properties)) {
            return null;
        }
        for (ConfigurationPropertySource source : ConfigurationPropertySources.from(properties.getPropertySources())) {
            ConfigurationProperty found = source.getConfigurationProperty(name);
            if (found != null) {
                return found.getOrigin();
            }
        }
        return null;
    }
}
