package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockKeyException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where a lock lives: {@code prefix:{key}}. The braces are Redis' hash tag, so everything that belongs to one lock is in
 * one slot. Percent signs and braces inside the key are escaped as in a URL, which is injective: no key can
 * close the tag early, or look like another.
 */
final class KeyLayout {

    private static final Pattern GLOB = Pattern.compile("[\\\\*?\\[\\]]");

    private final String prefix;
    private final String open;
    private final String wake;
    private final String joined;

    KeyLayout(String prefix) {
        this.prefix = prefix;
        this.open = prefix + ":{";
        this.wake = prefix + ":wake:";
        this.joined = prefix + ":joined";
    }

    String prefix() {
        return prefix;
    }

    /** The channel on which a client receives the messages that concern it. */
    byte[] channel(String clientId) {
        return (wake + clientId).getBytes(StandardCharsets.UTF_8);
    }

    /** The key where a server records when it was started. No lock has such a key: keys of locks have braces. */
    byte[] joined() {
        return joined.getBytes(StandardCharsets.UTF_8);
    }

    /** The key of the recorded nested waits. No lock has such a key either. */
    byte[] waits() {
        return (prefix + ":waits").getBytes(StandardCharsets.UTF_8);
    }

    byte[] bytes(LockKey key) {
        return (open + escape(key.value()) + '}').getBytes(StandardCharsets.UTF_8);
    }

    /** The lock with that name in Redis. Other applications may write anything, also under this prefix. */
    Optional<LockKey> key(String name) {
        if (!name.startsWith(open) || !name.endsWith("}")) {
            return Optional.empty();
        }
        String escaped = name.substring(open.length(), name.length() - 1);
        try {
            LockKey key = LockKey.of(unescape(escaped));
            return escape(key.value()).equals(escaped) ? Optional.of(key) : Optional.empty();
        } catch (LockKeyException e) {
            return Optional.empty();
        }
    }

    /** A pattern for {@code SCAN} that matches the names of all locks whose keys start with the prefix. */
    String pattern(String keyPrefix) {
        return GLOB.matcher(open + escape(keyPrefix)).replaceAll("\\\\$0") + '*';
    }

    private static String unescape(String text) {
        return text.replace("%7B", "{").replace("%7D", "}").replace("%25", "%");
    }

    private static String escape(String text) {
        if (text.indexOf('%') < 0 && text.indexOf('{') < 0 && text.indexOf('}') < 0) {
            return text;
        }
        return text.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
    }
}
