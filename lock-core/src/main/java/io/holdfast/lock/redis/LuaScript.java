package io.holdfast.lock.redis;

import io.holdfast.lock.redis.driver.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.stream.Collectors;
import org.springframework.data.redis.core.script.DigestUtils;

/** The scripts: a resource each. A line {@code -- include name} stands for another resource. */
@SuppressWarnings("ImmutableEnumChecker") // the bytes are handed to drivers, which do not write to them
enum LuaScript implements Wire.Script {
    ACQUIRE,
    ACQUIRE_ALL,
    RELEASE,
    RELEASE_ALL,
    RENEW,
    KEEP_ENTRIES,
    DOWNGRADE,
    LEAVE,
    INSPECT,
    SCAN,
    OVERVIEW,
    RECORD_WAITS,
    WAITS,
    FORCE_RELEASE,
    JOIN,
    PUBLISH;

    private static final String INCLUDE = "-- include ";

    private final byte[] text;
    private final byte[] sha;

    LuaScript() {
        String source = resolve(name().toLowerCase(Locale.ROOT));
        this.text = source.getBytes(StandardCharsets.UTF_8);
        this.sha = DigestUtils.sha1DigestAsHex(source).getBytes(StandardCharsets.US_ASCII);
    }

    /** Whether a lock that fails leaves the others in the same call unaffected. */
    @Override
    public boolean isForMany() {
        return this == RENEW || this == KEEP_ENTRIES || this == RELEASE_ALL;
    }

    @Override
    public byte[] text() {
        return text;
    }

    @Override
    public byte[] sha() {
        return sha;
    }

    private static String resolve(String name) {
        return read(name)
                .lines()
                .map(line -> line.startsWith(INCLUDE) ? resolve(line.substring(INCLUDE.length())) : line)
                .collect(Collectors.joining("\n"));
    }

    private static String read(String name) {
        try (InputStream in = LuaScript.class.getResourceAsStream(name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("Script " + name + ".lua is missing from the lock-core jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
