package io.holdfast.lock.redis.driver;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.stream.Collectors;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.data.redis.core.script.DigestUtils;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The scripts: one resource each, next to {@code RedisLockStore}. A line {@code -- include name} stands for another resource.
 */
@SuppressWarnings("ImmutableEnumChecker") // the bytes are handed to drivers, which do not write to them
public enum LuaScript {
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
    INSPECT_ALL,
    RECORD_WAITS,
    WAITS,
    FORCE_RELEASE,
    JOIN,
    EVICTION_POLICY,
    PUBLISH,
    DATA;

    private static final String INCLUDE = "-- include ";
    private static final String SHARDED = "local SHARDED = ";

    /** The argument of {@code EVAL}; must not be modified. */
    final byte[] text;

    /** The argument of {@code EVALSHA}, 40 hexadecimal digits; must not be modified. */
    final byte[] sha;

    /** The text for servers that can publish in a slot. */
    final byte[] shardedText;

    final byte[] shardedSha;

    LuaScript() {
        String source = resolve(name().toLowerCase(Locale.ROOT));
        String sharded = source.replace(SHARDED + "false", SHARDED + "true");
        this.text = source.getBytes(StandardCharsets.UTF_8);
        this.sha = sha(source);
        this.shardedText = sharded.getBytes(StandardCharsets.UTF_8);
        this.shardedSha = sha(sharded);
    }

    private static byte[] sha(String source) {
        return DigestUtils.sha1DigestAsHex(source).getBytes(StandardCharsets.US_ASCII);
    }

    private static String resolve(String name) {
        Resource file = new ClassPathResource("/io/holdfast/lock/redis/" + name + ".lua", LuaScript.class);
        return RedisScript.of(file)
                .getScriptAsString()
                .lines()
                .map(line -> line.startsWith(INCLUDE) ? resolve(line.substring(INCLUDE.length())) : line)
                .collect(Collectors.joining("\n"));
    }
}
