package io.holdfast.lock.redis;

import io.holdfast.lock.redis.driver.LuaScript;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.data.redis.core.script.DigestUtils;

/** The scripts as they are in the jar, and other ones in their place. */
final class LuaSources {

    private static final String INCLUDE = "-- include ";

    private final Map<String, String> files = new TreeMap<>();

    LuaSources() {
        for (LuaScript script : LuaScript.values()) {
            read(name(script));
        }
    }

    private void read(String file) {
        if (files.containsKey(file)) {
            return;
        }
        try (InputStream in = LuaScript.class.getResourceAsStream("/io/holdfast/lock/redis/" + file + ".lua")) {
            files.put(file, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        files.get(file)
                .lines()
                .filter(line -> line.startsWith(INCLUDE))
                .forEach(line -> read(line.substring(INCLUDE.length())));
    }

    private static String name(LuaScript script) {
        return script.name().toLowerCase(Locale.ROOT);
    }

    /** By name, without its ending. */
    Map<String, String> files() {
        return files;
    }

    /** From now on the client sends the scripts with this change. */
    void install(LuaMutant mutant) {
        Map<String, String> changed = new TreeMap<>(files);
        changed.computeIfPresent(mutant.file(), (file, source) -> mutant.in(source));
        install(changed);
    }

    /** From now on the client sends the scripts as they are. */
    void install() {
        install(files);
    }

    private static void install(Map<String, String> files) {
        for (LuaScript script : LuaScript.values()) {
            String text = resolve(files, name(script));
            set(script, "text", text.getBytes(StandardCharsets.UTF_8));
            set(script, "sha", DigestUtils.sha1DigestAsHex(text).getBytes(StandardCharsets.US_ASCII));
        }
    }

    private static String resolve(Map<String, String> files, String name) {
        return files.get(name)
                .lines()
                .map(line -> line.startsWith(INCLUDE) ? resolve(files, line.substring(INCLUDE.length())) : line)
                .collect(Collectors.joining("\n"));
    }

    /** What the client sends: only drivers see it. */
    static byte[] get(LuaScript script, String field) {
        try {
            return (byte[]) hidden(field).get(script);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The product has no switch for this. */
    private static void set(LuaScript script, String field, byte[] value) {
        try {
            hidden(field).set(script, value);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Field hidden(String field) throws NoSuchFieldException {
        Field hidden = LuaScript.class.getDeclaredField(field);
        hidden.setAccessible(true);
        return hidden;
    }
}
