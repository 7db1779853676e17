package io.holdfast.lock.spring.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;
import org.springframework.core.convert.ConversionException;
import org.springframework.util.ClassUtils;

/** A value of a property of Holdfast that does not have its type. Spring Boot says so too, but not what is allowed. */
@Order(0)
final class BindFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
        ConfigurationProperty property = cause.getProperty();
        if (property == null
                || !TimesNeedUnits.isOurs(property.getName())
                || findCause(rootFailure, ConversionException.class) == null) {
            return null;
        }
        Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(
                cause.getTarget().getType().resolve(Object.class));
        return new FailureAnalysis(
                "Property " + property.getName() + " is '" + property.getValue() + "' (" + property.getOrigin()
                        + "), which is invalid.",
                "Change " + property.getName() + " to " + allowed(type) + ".",
                cause);
    }

    private static String allowed(Class<?> type) {
        if (type == Duration.class) {
            return "a duration with a unit, such as 500ms, 30s, 10m or PT30S";
        } else if (type == Boolean.class) {
            return "true or false";
        } else if (Number.class.isAssignableFrom(type)) {
            return "a whole number";
        } else if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                    .map(each ->
                            ((Enum<?>) each).name().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .collect(Collectors.joining(" or "));
        }
        return "a " + type.getSimpleName();
    }
}
