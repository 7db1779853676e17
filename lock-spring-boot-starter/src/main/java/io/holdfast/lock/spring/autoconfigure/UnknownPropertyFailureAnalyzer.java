package io.holdfast.lock.spring.autoconfigure;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/** A property under {@code holdfast} that nothing reads. Spring Boot says so too, but shows its value, which may be a password. */
@Order(0)
final class UnknownPropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

    private static final ConfigurationPropertyName ENABLED = ConfigurationPropertyName.of("holdfast.enabled");
    private static final ConfigurationPropertyName HOLDFAST = ConfigurationPropertyName.of("holdfast");
    private static final ConfigurationPropertyName REDIS = ConfigurationPropertyName.of("holdfast.redis");

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnboundConfigurationPropertiesException cause) {
        List<ConfigurationProperty> ours = cause.getUnboundProperties().stream()
                .filter(property -> HOLDFAST.isAncestorOf(property.getName()))
                .toList();
        if (ours.isEmpty()) {
            return null;
        }
        String names = ours.stream()
                .map(property -> property.getName() + " (" + property.getOrigin() + ")")
                .collect(Collectors.joining(", "));
        return new FailureAnalysis("Unknown property: " + names + ".", action(ours), cause);
    }

    private static String action(List<ConfigurationProperty> ours) {
        List<String> meant = ours.stream()
                .map(property -> SimilarProperty.of(property.getName()))
                .flatMap(Optional::stream)
                .toList();
        String action = meant.isEmpty() ? "" : "Did you mean " + String.join(", ", meant) + "? ";
        if (ours.stream().anyMatch(property -> property.getName().equals(ENABLED))) {
            return action + "There is no such switch: remove the starter, or set holdfast.store=in-memory.";
        }
        Set<String> known = ours.stream()
                .flatMap(property -> SimilarProperty.siblings(property.getName()).stream())
                .collect(Collectors.toCollection(TreeSet::new));
        boolean redis = ours.stream().anyMatch(property -> REDIS.isAncestorOf(property.getName()));
        return action + "Correct the name, or remove the property."
                + (meant.isEmpty() && !known.isEmpty() ? " Known properties: " + String.join(", ", known) + "." : "")
                + (meant.isEmpty() && redis
                        ? " To use a different Redis server for locks, set holdfast.redis.url, which includes the user,"
                                + " password and database."
                        : "");
    }
}
