package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.spring.definition.AnnotationOptions;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.annotation.Role;

/**
 * Refuses times without a unit in all properties of Holdfast. Spring Boot would read {@code 30} as milliseconds, where the annotation
 * reads seconds.
 */
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class TimesNeedUnits implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final List<ConfigurationPropertyName> OURS = List.of(
            ConfigurationPropertyName.of("holdfast"), ConfigurationPropertyName.of("management.endpoint.locks"));

    /** Creates an instance. */
    public TimesNeedUnits() {}

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public @Nullable Object onSuccess(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
                if (result instanceof Duration && isOurs(name)) {
                    requireUnit(name, context);
                }
                return super.onSuccess(name, target, context, result);
            }
        };
    }

    static boolean isOurs(ConfigurationPropertyName name) {
        return OURS.stream().anyMatch(each -> each.isAncestorOf(name));
    }

    /** As text, the value has no placeholders any more. */
    private static void requireUnit(ConfigurationPropertyName name, BindContext context) {
        String value = context.getBinder().bind(name, Bindable.of(String.class)).orElse("");
        if (AnnotationOptions.lacksUnit(value)) {
            throw InvalidLockPropertyException.withoutUnit(name.toString(), value);
        }
    }
}
