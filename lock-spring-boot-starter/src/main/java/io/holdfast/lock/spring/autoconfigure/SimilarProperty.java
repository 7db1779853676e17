package io.holdfast.lock.spring.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Finds the property that a misspelt one is meant to be, in the metadata that editors use. Where that is missing, as in a
 * native image, it finds none.
 */
final class SimilarProperty {

    private static final int MOST_EDITS = 2;

    private static final String METADATA = "META-INF/spring-configuration-metadata.json";
    private static final Pattern NAME = Pattern.compile("\"name\": \"(holdfast\\.[a-z0-9.-]+)\"");

    /** A map, whose entries the metadata does not list; they have the settings of the scheduled methods. */
    private static final ConfigurationPropertyName INSTANCES = ConfigurationPropertyName.of("holdfast.instances");

    private static final String SCHEDULED = "holdfast.scheduled.";
    private static final int ELEMENTS_OF_SETTING = 4;

    private SimilarProperty() {}

    /** {@return the one with the most similar name, if there is one that differs in two characters at most} */
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
        return nearest(misspelt.toString(), known);
    }

    private static Optional<String> nearest(String name, Iterable<String> known) {
        String nearest = null;
        int fewest = MOST_EDITS + 1;
        for (String each : known) {
            int edits = edits(name, each);
            if (edits < fewest) {
                fewest = edits;
                nearest = each;
            }
        }
        return Optional.ofNullable(nearest);
    }

    /** By Levenshtein: characters to be inserted, removed or replaced. */
    private static int edits(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[to.length()];
    }

    /** In alphabetical order, without names of groups. */
    private static Set<String> known() {
        TreeSet<String> names = new TreeSet<>(Comparator.naturalOrder());
        try {
            for (URL url :
                    Collections.list(SimilarProperty.class.getClassLoader().getResources(METADATA))) {
                try (InputStream json = url.openStream()) {
                    NAME.matcher(new String(json.readAllBytes(), StandardCharsets.UTF_8))
                            .results()
                            .forEach(match -> names.add(match.group(1)));
                }
            }
        } catch (IOException unreadable) {
            return Set.of();
        }
        names.removeIf(name -> {
            String next = names.higher(name + ".");
            return next != null && next.startsWith(name + ".");
        });
        return names;
    }
}
