package io.holdfast.lock.migration.build;

import java.util.Collection;

/**
 * A dependency of a removed library that code still uses.
 *
 * @param packages the prefix of the names of its types
 * @param group the group of the artifact that the project declares instead
 * @param artifact the artifact
 */
record Companion(String packages, String group, String artifact) {

    /** Parses {@code org.springframework.data.redis. = org.springframework.data:spring-data-redis}. */
    static Companion parse(String text) {
        String[] parts = text.split(" = |:", -1);
        if (parts.length != 3) {
            throw new IllegalArgumentException(
                    "The companion '" + text + "' must have the form 'package. = group:artifact'");
        }
        return new Companion(parts[0], parts[1], parts[2]);
    }

    /** Whether these artifacts include this one, or one with its subject in the name, such as its starter. */
    boolean isAmong(Collection<String> artifacts) {
        String subject = artifact.replaceFirst("^spring-(boot-starter-)?", "").replaceFirst("-core$", "");
        return artifacts.stream().anyMatch(each -> each.contains(subject));
    }
}
