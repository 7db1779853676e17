package io.holdfast.lock.migration.build;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * Artifacts of a library, and the artifact that replaces them.
 *
 * @param patterns group:artifact, where the artifact may end with an asterisk
 */
record Artifacts(List<String> patterns) {

    static final String GROUP = "io.holdfast";
    static final String STARTER = "lock-spring-boot-starter";

    boolean contain(String group, String artifact) {
        String name = group + ":" + artifact;
        return patterns.stream()
                .anyMatch(each ->
                        each.endsWith("*") ? name.startsWith(each.substring(0, each.length() - 1)) : name.equals(each));
    }

    /** The version of the recipes. */
    static String version() {
        try (InputStream text = Artifacts.class.getResourceAsStream("version.txt")) {
            return new String(Objects.requireNonNull(text).readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
