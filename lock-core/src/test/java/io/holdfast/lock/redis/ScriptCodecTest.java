package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.util.JedisClusterCRC16;

class ScriptCodecTest {

    private final ScriptCodec layout = new ScriptCodec(RedisLockSettings.STANDARD);

    private String text(String key) {
        return new String(layout.bytes(LockKey.of(key)), StandardCharsets.UTF_8);
    }

    @Test
    void key_stands_in_the_hash_tag_behind_the_prefix() {
        assertThat(text("order:42")).isEqualTo("holdfast:{order:42}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"}x", "{", "a{b}c", "}{", "{}", "%", "100%{}"})
    void no_key_can_choose_its_slot(String key) {
        String name = text(key);
        String tag = name.substring(name.indexOf('{') + 1, name.length() - 1);

        assertThat(tag).doesNotContain("{", "}").isNotEmpty();
        assertThat(JedisClusterCRC16.getSlot(name)).isEqualTo(JedisClusterCRC16.getSlot(tag));
    }

    @Test
    void different_keys_have_different_names() {
        Random random = new Random(42);
        String alphabet = "{}%7BD25ab ";
        Map<String, String> keyByName = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            StringBuilder key = new StringBuilder("k");
            for (int length = random.nextInt(6); length > 0; length--) {
                key.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            String former = keyByName.put(text(key.toString()), key.toString());
            assertThat(former == null || former.equals(key.toString())).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"}x", "{", "a{b}c", "%", "100%{}", "%7B", "%257B", "a\n}b", "order:42"})
    void key_is_read_from_its_name(String key) {
        assertThat(new ScriptCodec(RedisLockSettings.STANDARD).key(text(key))).contains(LockKey.of(key));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "lock",
                "holdfast:{",
                "holdfast:{}",
                "holdfast:{ }",
                "holdfast:{a",
                "holdfast:{a}b",
                "holdfast:{%}",
                "holdfast:{%7b}",
                "holdfast:{{}",
                "other:{a}"
            })
    void name_that_no_lock_has_is_read_as_no_key(String name) {
        assertThat(new ScriptCodec(RedisLockSettings.STANDARD).key(name)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a{b", "a}b", "a b", "line\nbreak"})
    void prefix_that_could_change_the_slot_is_refused(String prefix) {
        assertThatThrownBy(() -> RedisLockSettings.STANDARD.withKeyPrefix(prefix))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("keyPrefix");
    }

    @Test
    void prefix_with_an_unpaired_surrogate_is_refused() {
        assertThatThrownBy(() -> RedisLockSettings.STANDARD.withKeyPrefix("a\uD800"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
