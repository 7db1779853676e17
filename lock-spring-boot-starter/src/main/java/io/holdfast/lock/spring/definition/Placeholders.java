package io.holdfast.lock.spring.definition;

import io.holdfast.lock.spring.annotation.LockDefinitionException;
import java.util.Objects;
import org.springframework.util.StringValueResolver;

/** Replaces {@code ${…}} in the text attributes of annotations. */
public final class Placeholders {

    private static final String START = "${";

    private final StringValueResolver properties;

    /**
     * Creates an instance.
     *
     * @param properties replaces them
     */
    public Placeholders(StringValueResolver properties) {
        this.properties = properties;
    }

    /**
     * {@return the text with the values of the properties; empty if a property says so}
     *
     * @param attribute where the text stands
     * @param text may have placeholders
     * @param where the annotated place
     * @throws LockDefinitionException if a property is not set
     */
    public String resolve(String attribute, String text, String where) {
        if (!text.contains(START)) {
            return text;
        }
        IllegalArgumentException cause = null;
        try {
            String value = Objects.requireNonNullElse(properties.resolveStringValue(text), "");
            if (!value.contains(START)) {
                return value;
            }
        } catch (IllegalArgumentException e) {
            cause = e;
        }
        throw new LockDefinitionException(
                where + " has " + attribute + " = \"" + text + "\", but a property in it is not set.",
                "Set the property, or add a default: ${name:value}.",
                cause);
    }
}
