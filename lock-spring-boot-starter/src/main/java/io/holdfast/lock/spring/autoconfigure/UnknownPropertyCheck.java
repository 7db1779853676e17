package io.holdfast.lock.spring.autoconfigure;

import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Warns of properties under {@code lock} that nothing reads, since Spring Boot ignores {@code lock.leese=10s} without a
 * word.
 *
 * <p>A warning, not a failure: the application may have properties of its own under so common a word. So of those that
 * stand directly under {@code lock} only what looks like one of ours is told. Environment variables are left out, since they
 * are anybody's.
 */
final class UnknownPropertyCheck implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(UnknownPropertyCheck.class);

    private static final ConfigurationPropertyName LOCK = ConfigurationPropertyName.of("lock");
    private static final ConfigurationPropertyName INSTANCES = ConfigurationPropertyName.of("lock.instances");
    private static final int NEAR = 3;

    private final Environment environment;
    private final Supplier<KnownProperties> known;

    /** @param known is asked only if any property under {@code lock} is set */
    UnknownPropertyCheck(Environment environment, Supplier<KnownProperties> known) {
        this.environment = environment;
        this.known = known;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Set<ConfigurationPropertyName> names = names();
        if (!names.isEmpty()) {
            KnownProperties properties = known.get();
            names.forEach(name -> check(name, properties));
        }
    }

    private static void check(ConfigurationPropertyName name, KnownProperties known) {
        if (known.isEmpty()) {
            return;
        }
        boolean ofInstance = isOfInstance(name);
        check(name.toString(), ofInstance ? KnownProperties.ofInstance(instanceOf(name)) : known, ofInstance);
    }

    private static void check(String name, KnownProperties known, boolean ours) {
        if (known.covers(name)) {
            return;
        }
        Optional<String> meant = nearest(name, known);
        if (meant.isPresent() || ours || known.isGroup(parentOf(name))) {
            log.warn(
                    "Property {} is set, and nothing reads it.{}",
                    name,
                    meant.map(each -> " Is " + each + " meant?").orElse(""));
        }
    }

    private static boolean isOfInstance(ConfigurationPropertyName name) {
        return INSTANCES.isAncestorOf(name) && name.getNumberOfElements() > INSTANCES.getNumberOfElements() + 1;
    }

    /** All but the last. If that is more than one element, brackets are missing: Spring Boot reads up to the first dot. */
    private static ConfigurationPropertyName instanceOf(ConfigurationPropertyName name) {
        int first = INSTANCES.getNumberOfElements();
        int last = name.getNumberOfElements() - 1;
        if (last == first + 1) {
            return name.getParent();
        }
        String instance = IntStream.range(first, last)
                .mapToObj(i -> name.getElement(i, Form.ORIGINAL))
                .collect(Collectors.joining("."));
        return INSTANCES.append("[" + instance + "]");
    }

    private Set<ConfigurationPropertyName> names() {
        Set<ConfigurationPropertyName> names = new TreeSet<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource properties
                    && !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)) {
                properties.filter(LOCK::isAncestorOf).forEach(name -> names.add(withoutIndex(name)));
            }
        }
        return names;
    }

    /** {@code lock.quorum.nodes[1]} is an element of {@code lock.quorum.nodes}. */
    private static ConfigurationPropertyName withoutIndex(ConfigurationPropertyName name) {
        ConfigurationPropertyName whole = name;
        while (whole.isLastElementIndexed()) {
            whole = whole.getParent();
        }
        return whole;
    }

    private static String parentOf(String name) {
        return name.substring(0, name.lastIndexOf('.'));
    }

    private static Optional<String> nearest(String name, KnownProperties known) {
        return known.names().stream()
                .filter(each -> distanceInLowerCase(name, each) <= NEAR)
                .min(Comparator.comparingInt(each -> distanceInLowerCase(name, each)));
    }

    /** Only what stands in brackets has upper case. */
    private static int distanceInLowerCase(String one, String other) {
        return distance(one.toLowerCase(Locale.ROOT), other.toLowerCase(Locale.ROOT));
    }

    /** How many letters must be changed, added or removed (Levenshtein, 1966). */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
