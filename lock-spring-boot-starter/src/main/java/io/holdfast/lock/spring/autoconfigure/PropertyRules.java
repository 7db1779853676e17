package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.definition.AnnotationOptions;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.PropertyMatches;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.context.annotation.Role;
import org.springframework.core.ResolvableType;

/**
 * What properties under {@code holdfast} must have beyond Spring Boot's rules: a duration needs a unit, since Spring Boot would read
 * {@code 30} as milliseconds, whereas the annotation reads it as seconds. And a property that nothing reads is misspelled if its name
 * is similar to a known one, and fails startup: a misspelled lease means a lost lock. Any other one may be of a later version, as
 * after a rollback, or in a configuration that several applications share; it causes a warning. Neither shows its value, which may
 * be a password.
 *
 * <p>In a native image, the components of records may be unavailable; then all unknown properties cause a warning.
 */
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
final class PropertyRules implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final Logger log = LoggerFactory.getLogger(PropertyRules.class);

    private static final Pattern WORD = Pattern.compile("-(.)");
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

            /** The wrapped handler rejects all unknown properties of {@link LockProperties}, and of others that do not ignore them. */
            @Override
            public void onFinish(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, @Nullable Object result)
                    throws Exception {
                try {
                    super.onFinish(name, target, context, result);
                } catch (UnboundConfigurationPropertiesException e) {
                    if (!name.equals(HOLDFAST)) {
                        throw e;
                    }
                    report(e);
                }
            }
        };
    }

    private static void report(UnboundConfigurationPropertiesException unbound) {
        Map<String, String> meant = new LinkedHashMap<>();
        for (ConfigurationProperty each : unbound.getUnboundProperties()) {
            String shown = LockKey.printable(each.getName() + " (" + each.getOrigin() + ")");
            Optional<String> similar = similar(each.getName(), ResolvableType.forClass(LockProperties.class), 1);
            if (similar.isPresent()) {
                meant.put(shown, similar.get());
            } else {
                log.warn(
                        "Ignored unknown property {}; correct or remove it, unless another Holdfast version reads it",
                        shown);
            }
        }
        if (!meant.isEmpty()) {
            throw new LockConfigurationException(
                    "Unknown property: " + String.join(", ", meant.keySet()) + ".",
                    "Did you mean " + String.join(", ", meant.values()) + "? Correct the name, or remove the property.",
                    unbound);
        }
    }

    /** Follows the name through the records that properties are bound to, as far as its parts match. */
    private static Optional<String> similar(ConfigurationPropertyName unknown, ResolvableType type, int index) {
        Map<String, Type> known =
                new TreeMap<>(Comparator.comparing(String::length).thenComparing(name -> name));
        if (type.toClass().isRecord()) {
            for (RecordComponent each : type.toClass().getRecordComponents()) {
                known.put(DataObjectPropertyName.toDashedForm(each.getName()), each.getGenericType());
            }
        }
        String name = index < unknown.getNumberOfElements() ? unknown.getElement(index, Form.DASHED) : "";
        ResolvableType found = ResolvableType.forType(known.get(name));
        if (known.containsKey(name)) {
            boolean isMap = found.toClass() == Map.class;
            return similar(unknown, isMap ? found.getGeneric(1) : found, isMap ? index + 2 : index + 1);
        }
        return similar(name, type.toClass(), known.keySet())
                .map(each -> unknown.chop(index).append(each)
                        + unknown.toString()
                                .substring(unknown.chop(index + 1).toString().length()));
    }

    /** The shortest known name that continues the given one, or else one that differs in few characters: at most two, fewer in short names. */
    private static Optional<String> similar(String name, Class<?> type, Set<String> known) {
        Stream<String> longer = known.stream().filter(each -> !name.isEmpty() && each.startsWith(name));
        String field = WORD.matcher(name).replaceAll(each -> each.group(1).toUpperCase(Locale.ROOT));
        Stream<String> similar = Stream.of(PropertyMatches.forField(field, type, Math.min(2, (name.length() + 1) / 3))
                        .getPossibleMatches())
                .map(DataObjectPropertyName::toDashedForm)
                .filter(known::contains);
        return Stream.concat(longer, similar).findFirst();
    }
}
