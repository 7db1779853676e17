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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.context.annotation.Role;
import org.springframework.core.ResolvableType;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.convert.ConverterNotFoundException;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.StringUtils;

/**
 * What properties under {@code holdfast} must have beyond Spring Boot's rules: a duration needs a unit, since Spring Boot would read
 * {@code 30} as milliseconds, whereas the annotation reads it as seconds. And a property that nothing reads is misspelled if its name
 * is similar to a known one, or lacks its first part, and fails startup: a misspelled lease means a lost lock, a misspelled URL another
 * Redis. Any other one may be of a later version, as after a rollback, or in a configuration that several applications share; it causes a
 * warning. Neither shows its value, which may be a password. System properties are checked too. Environment variables are not: a container
 * platform sets some for each service, and their names do not tell where a word ends and a part of the name.
 *
 * <p>In a native image, the components of records may be unavailable; then all unknown properties cause a warning.
 */
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
final class PropertyRules implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final Logger log = LoggerFactory.getLogger(PropertyRules.class);

    private static final Pattern WORD = Pattern.compile("-(.)");
    private static final ConfigurationPropertyName HOLDFAST = ConfigurationPropertyName.of("holdfast");
    private static final String WHOLE_URL = "holdfast.redis.url=redis://[user:password@]host[:port][/database]";
    private static final Set<String> PARTS_OF_URL = Set.of("host", "port", "username", "password", "database");

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(new NoUnboundElementsBindHandler(
                handler, source -> !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource))) {
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

            @Override
            public @Nullable Object onFailure(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error)
                    throws Exception {
                if (!name.equals(HOLDFAST) && !HOLDFAST.isAncestorOf(name)) {
                    return handler.onFailure(name, target, context, error);
                }
                Class<?> type = target.getType().toClass();
                if (type == Duration.class && error instanceof ConversionException) {
                    throw new IllegalArgumentException(
                            "Not a duration. Write a whole number with a unit, such as 30s or 500ms.");
                }
                RecordComponent[] parts = type.getRecordComponents();
                if (error instanceof ConverterNotFoundException && parts != null && parts.length > 0) {
                    throw new IllegalArgumentException("This is the prefix of properties. Set one of them, such as "
                            + name.append(DataObjectPropertyName.toDashedForm(parts[0].getName())) + ".");
                }
                return super.onFailure(name, target, context, error);
            }

            /** Finds all unknown properties of {@link LockProperties}; those of others are left to Spring Boot's handler. */
            @Override
            public void onFinish(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, @Nullable Object result)
                    throws Exception {
                if (!name.equals(HOLDFAST)) {
                    handler.onFinish(name, target, context, result);
                    return;
                }
                try {
                    super.onFinish(name, target, context, result);
                } catch (UnboundConfigurationPropertiesException e) {
                    report(e, result);
                }
            }
        };
    }

    /** If the servers for locks are known, no part of another address matters. */
    private static void report(UnboundConfigurationPropertiesException unbound, @Nullable Object result) {
        boolean addressed = result instanceof LockProperties bound
                && (StringUtils.hasText(bound.redis().url()) || bound.quorum().nodes() != null);
        Map<String, String> meant = new LinkedHashMap<>();
        for (ConfigurationProperty each : unbound.getUnboundProperties()) {
            String shown = LockKey.printable(each.getName() + " (" + each.getOrigin() + ")");
            Optional<String> similar = similar(each.getName(), ResolvableType.forClass(LockProperties.class), 1);
            if (similar.isEmpty() || (addressed && similar.get().equals(WHOLE_URL))) {
                log.warn(
                        "Ignored unknown property {}; correct or remove it, unless another Holdfast version reads it",
                        shown);
            } else if (similar.get().isEmpty()) {
                String why = String.valueOf(each.getValue()).isEmpty()
                        ? "which is empty, so its default applies; set or remove it"
                        : "because an empty value, such as that of an environment variable, takes precedence; remove one of them";
                log.warn("Ignored property {}, {}", shown, why);
            } else {
                meant.put(shown, similar.get());
            }
        }
        if (!meant.isEmpty()) {
            throw new LockConfigurationException(
                    "Unknown property: " + String.join(", ", meant.keySet()) + ".",
                    meant.values().stream()
                            .distinct()
                            .collect(Collectors.joining(", ", "Did you mean ", "? Correct or remove the property.")),
                    unbound);
        }
    }

    /** Follows the name through the records that properties are bound to, as far as its parts match; empty text if all do. */
    private static Optional<String> similar(ConfigurationPropertyName unknown, ResolvableType type, int index) {
        if (index >= unknown.getNumberOfElements()) {
            return Optional.of("");
        }
        Map<String, Type> known =
                new TreeMap<>(Comparator.comparing(String::length).thenComparing(name -> name));
        Stream.ofNullable(type.toClass().getRecordComponents())
                .flatMap(Stream::of)
                .forEach(each -> known.put(DataObjectPropertyName.toDashedForm(each.getName()), each.getGenericType()));
        String name = DataObjectPropertyName.toDashedForm(unknown.getElement(index, Form.ORIGINAL));
        if (type.toClass() == LockProperties.Redis.class && PARTS_OF_URL.contains(name)) {
            return Optional.of(WHOLE_URL);
        }
        Optional<String> same = known.keySet().stream()
                .filter(each -> each.replace("-", "").equals(unknown.getElement(index, Form.UNIFORM)))
                .findFirst();
        if (same.isPresent()) {
            ResolvableType found = ResolvableType.forType(known.get(same.get()));
            boolean isMap = found.toClass() == Map.class;
            return similar(unknown, isMap ? found.getGeneric(1) : found, isMap ? index + 2 : index + 1);
        }
        return similar(name, type.toClass(), known.keySet())
                .or(() -> known.entrySet().stream()
                        .filter(each -> unknown.getNumberOfElements() > index + 1 && hasPart(each.getValue(), name))
                        .map(each -> each.getKey() + "." + name)
                        .findFirst())
                .map(each -> unknown.chop(index).append(each)
                        + unknown.toString()
                                .substring(unknown.chop(index + 1).toString().length()));
    }

    private static boolean hasPart(Type type, String name) {
        return Stream.ofNullable(ResolvableType.forType(type).toClass().getRecordComponents())
                .flatMap(Stream::of)
                .anyMatch(each -> each.getType().isRecord()
                        && DataObjectPropertyName.toDashedForm(each.getName()).equals(name));
    }

    /** The shortest known name that continues the given one, or else one that differs by few edits: at most two, fewer in short names. */
    private static Optional<String> similar(String name, Class<?> type, Set<String> known) {
        int edits = Math.min(2, (name.length() + 1) / 3);
        Stream<String> longer = known.stream().filter(each -> each.startsWith(name));
        Stream<String> swapped = IntStream.range(1, name.length()) // of two neighbors, which is one edit
                .mapToObj(i -> name.substring(0, i - 1) + name.charAt(i) + name.charAt(i - 1) + name.substring(i + 1))
                .flatMap(each -> near(each, type, edits - 1));
        return Stream.of(longer, near(name, type, edits), swapped)
                .flatMap(each -> each.filter(known::contains))
                .findFirst();
    }

    private static Stream<String> near(String name, Class<?> type, int edits) {
        String field = WORD.matcher(name).replaceAll(each -> each.group(1).toUpperCase(Locale.ROOT));
        return Stream.of(PropertyMatches.forField(field, type, edits).getPossibleMatches())
                .map(DataObjectPropertyName::toDashedForm);
    }
}
