package io.holdfast.lock.spring.definition;

import io.holdfast.lock.spring.annotation.LockDefinitionException;
import org.jspecify.annotations.Nullable;
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
        String value;
        try {
            value = properties.resolveStringValue(text);
        } catch (IllegalArgumentException e) {
            throw refuse(attribute, text, where, e);
        }
        if (value != null && value.contains(START)) {
            throw refuse(attribute, text, where, null);
        }
        return value == null ? "" : value;
    }

    private static LockDefinitionException refuse(
            String attribute, String text, String where, @Nullable Throwable cause) {
        return new LockDefinitionException(
                where + " has " + attribute + " = \"" + text + "\", but a property in it is not set.",
                "Set the property, or add a default: ${name:value}.",
                cause);
    }
}
