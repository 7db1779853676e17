package io.holdfast.lock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.springframework.data.redis.core.script.DigestUtils;

/** The scripts: a resource each, behind the functions that they share. */
@SuppressWarnings("ImmutableEnumChecker") // the bytes are handed to drivers, which do not write to them
enum LuaScript {
    ACQUIRE,
    RELEASE,
    RENEW,
    LEAVE,
    INSPECT,
    FORCE_RELEASE;

    private final byte[] text;
    private final byte[] sha;

    LuaScript() {
        String source = read("common") + '\n' + read(name().toLowerCase(java.util.Locale.ROOT));
        this.text = source.getBytes(StandardCharsets.UTF_8);
        this.sha = DigestUtils.sha1DigestAsHex(source).getBytes(StandardCharsets.US_ASCII);
    }

    byte[] text() {
        return text;
    }

    byte[] sha() {
        return sha;
    }

    private static String read(String name) {
        try (InputStream in = LuaScript.class.getResourceAsStream(name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("The script " + name + ".lua is missing from the jar of lock-core");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
