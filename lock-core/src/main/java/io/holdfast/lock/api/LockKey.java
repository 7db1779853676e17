package io.holdfast.lock.api;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name of a lock. Two callers exclude each other if and only if their keys are equal, character by character.
 *
 * <p>A key may contain anything that can be encoded as UTF-8, including spaces, braces and emoji. It must not be blank, and can
 * have at most {@value #MAX_LENGTH} characters.
 *
 * <p>Messages show the key as {@link #toString()} returns it. A {@linkplain #masked() masked} key is shown as a hash, but is
 * equal to the unmasked one.
 */
public final class LockKey {

    /** The maximum length of a key, in characters (UTF-16 code units). */
    public static final int MAX_LENGTH = 16_384;

    private static final int SHOWN_BYTES = 8;
    private static final Pattern SPECIAL = Pattern.compile("[:\\\\]");
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

    private final String value;
    private final boolean masked;

    private LockKey(String value, boolean masked) {
        this.value = value;
        this.masked = masked;
    }

    /**
     * {@return the key}
     *
     * @param value the text of the key
     * @throws LockKeyException if the value is null, blank, too long, or contains an unpaired surrogate (UTF-8 cannot
     *     represent it, so different keys would become the same lock)
     */
    public static LockKey of(String value) {
        if (value == null || value.isBlank()) {
            throw new LockKeyException("The lock key is " + (value == null ? "null" : "blank")
                    + ". Name the resource to lock, for example \"order:42\".");
        }
        if (value.length() > MAX_LENGTH) {
            throw new LockKeyException("The lock key has " + value.length() + " characters; at most " + MAX_LENGTH
                    + " are allowed. Use an identifier or a digest instead."); // it may be personal, so it is
            // not quoted
        }
        int character;
        for (int i = 0; i < value.length(); i += Character.charCount(character)) {
            character = value.codePointAt(i);
            if (Character.getType(character) == Character.SURROGATE) {
                throw new LockKeyException(
                        "The lock key contains an unpaired surrogate and cannot be encoded as UTF-8. Check how the text"
                                + " was truncated or decoded.");
            }
        }
        return new LockKey(value, false);
    }

    /**
     * {@return the key of several parts, joined by colons: {@code LockKey.of("order", shop, 42)} is {@code order:s1:42}} Colons and
     * backslashes in the parts are escaped with a backslash, so that different parts never result in the same key.
     *
     * <p>{@code @DistributedLock(name = "order", key = "parts(#shop, #id)")} locks the same key.
     *
     * @param name the first part
     * @param parts the other parts, each one value: text, a number, a UUID and the like; an enum constant becomes its name
     * @throws LockKeyException if a part is null, blank, a collection, an array, a map, an {@code Optional}, or an object that does not
     *     override {@code toString()}; or if the key is too long
     */
    public static LockKey of(String name, Object... parts) {
        StringBuilder joined = new StringBuilder(escaped(name, 1));
        for (int i = 0; i < parts.length; i++) {
            joined.append(':').append(escaped(parts[i], i + 2));
        }
        return of(joined.toString());
    }

    private static String escaped(@Nullable Object part, int number) {
        String text = part instanceof Enum<?> constant ? constant.name() : String.valueOf(part);
        if (part == null || text.isBlank()) {
            throw new LockKeyException("Part " + number + " of the lock key is " + (part == null ? "null" : "blank")
                    + ". Check the value before the call.");
        }
        if (part instanceof Collection
                || part instanceof Map
                || part instanceof Optional
                || part.getClass().isArray()
                || text.endsWith("@" + Integer.toHexString(System.identityHashCode(part)))) {
            throw new LockKeyException("Part " + number + " of the lock key is a "
                    + part.getClass().getTypeName()
                    + ", which is not a single value. Pass one value for each part, such as"
                    + " its id.");
        }
        return SPECIAL.matcher(text).replaceAll("\\\\$0");
    }

    /** {@return the text of the key} */
    public String value() {
        return value;
    }

    /**
     * {@return the same key, shown as a hash in messages, for keys that contain personal data}
     *
     * @see LockRequest#maskKeys()
     */
    public LockKey masked() {
        return masked ? this : new LockKey(value, true);
    }

    /** {@return whether messages show the key as a hash} */
    public boolean isMasked() {
        return masked;
    }

    /**
     * Escapes text so that messages show it on a single line. Characters that would break the line, or that a terminal or viewer would
     * interpret instead of showing, are written as {@code \}{@code u001b}. This prevents forged log lines.
     *
     * @param text any text
     * @return the text without control characters, line separators and formatting characters
     */
    public static String printable(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < ' ' || text.charAt(i) > '~') {
                return UNPRINTABLE
                        .matcher(text)
                        .replaceAll(found ->
                                String.format("\\\\u%04x", found.group().codePointAt(0)));
            }
        }
        return text; // the usual case, on the path of every acquisition
    }

    /** The first 16 digits: enough to find the log lines about a key. Anybody who knows the key can compute its hash. */
    private static String hash(String value) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.UTF_8));
            return "sha256:" + HexFormat.of().formatHex(hash, 0, SHOWN_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is not available on this Java platform", e);
        }
    }

    /** {@return whether the other object is a key with the same text, masked or not} */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockKey key && key.value.equals(value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    /**
     * {@return the key as messages show it (see {@link #printable}); for a masked key, {@code sha256:} and the first 16 digits of
     * the hash of its text}
     */
    @Override
    public String toString() {
        return masked ? hash(value) : printable(value);
    }
}
