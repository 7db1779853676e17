package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.spring.definition.AnnotationOptions;
import java.time.Duration;
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
 * Rejects durations without a unit in all properties of Holdfast. Spring Boot would read {@code 30} as milliseconds, whereas the annotation
 * reads it as seconds.
 */
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
final class TimesNeedUnits implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName HOLDFAST = ConfigurationPropertyName.of("holdfast");

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public @Nullable Object onSuccess(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
                if (result instanceof Duration && HOLDFAST.isAncestorOf(name)) {
                    String text = context.getBinder() // with placeholders resolved
                            .bind(name, Bindable.of(String.class))
                            .orElse("");
                    if (AnnotationOptions.lacksUnit(text)) {
                        throw new IllegalArgumentException("A duration needs a unit, such as 30s or 500ms.");
                    }
                }
                return super.onSuccess(name, target, context, result);
            }
        };
    }
}
