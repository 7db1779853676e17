package io.holdfast.lock.api;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What is locked. Two callers exclude each other exactly when their keys are equal, character by character.
 *
 * <p>A key may hold anything that can be written in UTF-8: blanks, braces, emoji. It is not blank as a whole, and at
 * most {@value #MAX_LENGTH} characters long.
 *
 * @param value the text of the key
 */
public record LockKey(String value) {

    /** The longest key, in characters (UTF-16 units). */
    public static final int MAX_LENGTH = 16_384;

    /**
     * Checks the components.
     *
     * @throws LockKeyException if the value is null, blank, too long, or has an unpaired surrogate (such a text has no
     *     UTF-8 form, so two different keys would become one lock)
     */
    public LockKey {
        checkText(value);
    }

    /**
     * {@return the key}
     *
     * @param value the text of the key
     * @throws LockKeyException if the text cannot be a key
     */
    public static LockKey of(String value) {
        return new LockKey(value);
    }

    private static void checkText(@Nullable String value) {
        if (value == null) {
            throw new LockKeyException("A lock key is null. Name what is to be locked, for example \"order:42\".");
        }
        if (value.isBlank()) {
            throw new LockKeyException("A lock key is blank. Name what is to be locked, for example \"order:42\".");
        }
        if (value.length() > MAX_LENGTH) {
            throw new LockKeyException("A lock key has " + value.length() + " characters; at most " + MAX_LENGTH
                    + " are allowed. Lock on an identifier or a digest instead: " + value.substring(0, 40) + "…");
        }
        if (hasSurrogate(value)) {
            checkEncodable(value);
        }
    }

    private static boolean hasSurrogate(String value) {
        for (int i = 0; i < value.length(); i++) {
            if (Character.isSurrogate(value.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    private static void checkEncodable(String value) {
        try {
            StandardCharsets.UTF_8.newEncoder().encode(java.nio.CharBuffer.wrap(value));
        } catch (CharacterCodingException e) {
            throw new LockKeyException(
                    "A lock key has an unpaired surrogate, so it cannot be written in UTF-8. Check how the text was"
                            + " cut or decoded.",
                    e);
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
