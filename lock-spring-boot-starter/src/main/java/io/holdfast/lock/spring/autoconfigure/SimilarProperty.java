package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.spring.definition.EditDistance;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** Finds the property that a misspelt one is meant to be. */
final class SimilarProperty {

    private static final int MOST_EDITS = 2;

    private static final Pattern CAPITAL = Pattern.compile("[A-Z]");

    /** A map: its entries have the settings of the scheduled methods. */
    private static final ConfigurationPropertyName INSTANCES = ConfigurationPropertyName.of("holdfast.instances");

    private static final String SCHEDULED = "holdfast.scheduled.";
    private static final int ELEMENTS_OF_SETTING = 4;

    /** Another map; its entries are records. */
    private static final ConfigurationPropertyName ROLES = ConfigurationPropertyName.of("holdfast.leadership.roles");

    private static final int ELEMENTS_OF_ROLE_SETTING = 5;
    private static final int ELEMENTS_OF_FIRST_LEVEL = 2;

    private SimilarProperty() {}

    /** {@return one that goes on where the name ends, or else the most similar one that differs in two characters at most} */
    static Optional<String> of(ConfigurationPropertyName misspelt) {
        Set<String> known = known();
        if (INSTANCES.isAncestorOf(misspelt) && misspelt.getNumberOfElements() == ELEMENTS_OF_SETTING) {
            String parent = misspelt.getParent() + ".";
            return nearest(
                    misspelt.toString(),
                    known.stream()
                            .filter(each -> each.startsWith(SCHEDULED))
                            .map(each -> parent + each.substring(SCHEDULED.length()))
                            .toList());
        }
        if (ROLES.isAncestorOf(misspelt) && misspelt.getNumberOfElements() == ELEMENTS_OF_ROLE_SETTING) {
            Set<String> settings = new TreeSet<>();
            collect(LeadershipProperties.Role.class, misspelt.getParent().toString(), settings);
            return nearest(misspelt.toString(), settings);
        }
        return nearest(misspelt.toString(), known);
    }

    /** {@return those of the same group, such as {@code holdfast.quorum}, or of the first level with the groups; empty for unknown groups} */
    static List<String> siblings(ConfigurationPropertyName misspelt) {
        String group = misspelt.getParent() + ".";
        boolean first = misspelt.getNumberOfElements() <= ELEMENTS_OF_FIRST_LEVEL;
        return known().stream()
                .filter(each -> each.startsWith(group))
                .map(each -> first ? withoutGroup(each, group.length()) : each)
                .toList();
    }

    private static String withoutGroup(String name, int start) {
        int dot = name.indexOf('.', start);
        return dot < 0 ? name : name.substring(0, dot) + ".*";
    }

    private static Optional<String> nearest(String name, Iterable<String> known) {
        String nearest = null;
        int fewest = MOST_EDITS + 1;
        for (String each : known) {
            if (each.startsWith(name + '-')) {
                return Optional.of(each);
            }
            int edits = EditDistance.between(name, each);
            if (edits < fewest) {
                fewest = edits;
                nearest = each;
            }
        }
        return Optional.ofNullable(nearest);
    }

    /** By the records that the properties are bound to. A native image may not know their components: then there is no advice. */
    private static Set<String> known() {
        Set<String> names = new TreeSet<>();
        collect(LockProperties.class, "holdfast", names);
        return names;
    }

    private static void collect(Class<?> type, String prefix, Set<String> names) {
        for (RecordComponent each : type.getRecordComponents()) {
            String name = prefix + '.' + dashed(each.getName());
            if (each.getType().isRecord()) {
                collect(each.getType(), name, names);
            } else {
                names.add(name);
            }
        }
    }

    private static String dashed(String name) {
        return CAPITAL.matcher(name).replaceAll(match -> "-" + match.group().toLowerCase(Locale.ROOT));
    }
}
