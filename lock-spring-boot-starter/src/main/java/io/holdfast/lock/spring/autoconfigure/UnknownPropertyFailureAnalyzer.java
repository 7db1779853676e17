package io.holdfast.lock.spring.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.PropertyMatches;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;

/**
 * Reports a property under {@code holdfast} that nothing reads, and suggests the one that was probably meant. Spring Boot would
 * report it too, but would show its value, which may be a password. In a native image, the components of records may be
 * unavailable; then there is no suggestion.
 */
@Order(0)
final class UnknownPropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

    private static final Pattern WORD = Pattern.compile("-(.)");
    private static final ConfigurationPropertyName HOLDFAST = ConfigurationPropertyName.of("holdfast");

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnboundConfigurationPropertiesException cause) {
        List<ConfigurationProperty> ours = cause.getUnboundProperties().stream()
                .filter(property -> HOLDFAST.isAncestorOf(property.getName()))
                .toList();
        return ours.isEmpty()
                ? null
                : new FailureAnalysis(
                        ours.stream()
                                .map(property -> property.getName() + " (" + property.getOrigin() + ")")
                                .collect(Collectors.joining(", ", "Unknown property: ", ".")),
                        ours.stream()
                                .map(property ->
                                        advice(property.getName(), ResolvableType.forClass(LockProperties.class), 1))
                                .distinct()
                                .collect(Collectors.joining(" ", "", " Correct the name, or remove the property.")),
                        cause);
    }

    /** Follows the name through the records that properties are bound to, as far as its parts match. */
    private static String advice(ConfigurationPropertyName unknown, ResolvableType type, int index) {
        Map<String, ResolvableType> known = new TreeMap<>();
        if (type.toClass().isRecord()) {
            for (RecordComponent each : type.toClass().getRecordComponents()) {
                known.put(
                        DataObjectPropertyName.toDashedForm(each.getName()),
                        ResolvableType.forType(each.getGenericType()));
            }
        }
        String name = index < unknown.getNumberOfElements() ? unknown.getElement(index, Form.DASHED) : "";
        ResolvableType found = known.get(name);
        if (found != null) {
            boolean isMap = found.toClass() == Map.class;
            return advice(unknown, isMap ? found.getGeneric(1) : found, isMap ? index + 2 : index + 1);
        }
        return similar(unknown, index, type.toClass(), name, known.keySet());
    }

    /** A property that continues the name, or else one that differs in at most two characters. */
    private static String similar(
            ConfigurationPropertyName unknown, int index, Class<?> type, String name, Set<String> known) {
        ConfigurationPropertyName parent = unknown.chop(index);
        Stream<String> longer = known.stream().filter(each -> each.startsWith(name + '-'));
        String field = WORD.matcher(name).replaceAll(each -> each.group(1).toUpperCase(Locale.ROOT));
        Stream<String> similar = Stream.of(PropertyMatches.forField(field, type).getPossibleMatches())
                .map(DataObjectPropertyName::toDashedForm)
                .filter(known::contains);
        return Stream.concat(longer, similar)
                .findFirst()
                .map(each -> "Did you mean " + parent.append(each)
                        + unknown.toString()
                                .substring(unknown.chop(index + 1).toString().length()) + "?")
                .orElse("Known properties of " + parent + ": " + String.join(", ", known) + ".");
    }
}
