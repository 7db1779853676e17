package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.util.JedisClusterCRC16;

/** Whatever a lock is called, its key has a slot, which is that of its name alone. */
class KeySlotsTest {

    private static final int NAMES = 100_000;
    private static final int SLOTS = 16_384;
    private static final int LONG = 2_000;

    /** What may matter to hash tags, to the escapes, and to encodings. */
    private static final List<String> PIECES = List.of(
            "{",
            "}",
            "{}",
            "}{",
            "{{",
            "}}",
            "%",
            "%25",
            "%7B",
            "%7D",
            "%%",
            " ",
            "\t",
            "\n",
            "\u0000",
            ":",
            "holdfast:{",
            "order",
            "42",
            "ä",
            "ß",
            "é",
            "日本",
            "😀",
            "\u202E",
            "\uFEFF",
            "\u2028",
            "a");

    private final Random random = new Random(20_260_101);
    private final ScriptCodec layout = new ScriptCodec(RedisLockSettings.STANDARD);

    @Test
    void random_names_have_the_slot_of_their_tag() {
        BitSet used = new BitSet(SLOTS);
        for (int i = 0; i < NAMES; i++) {
            byte[] key = layout.bytes(LockKey.of(name(i)));

            int slot = JedisClusterCRC16.getSlot(key);

            assertThat(slot).isEqualTo(slotOf(tag(key)));
            used.set(slot);
        }
        assertThat(used.cardinality()).isGreaterThan(SLOTS * 9 / 10);
    }

    private String name(int number) {
        int length = number % 1000 == 0 ? LONG : random.nextInt(12);
        StringBuilder name = new StringBuilder();
        IntStream.range(0, length).forEach(i -> name.append(PIECES.get(random.nextInt(PIECES.size()))));
        return name.append(number).toString();
    }

    /** What stands in the braces: all behind the prefix, whatever the name is. */
    private static byte[] tag(byte[] key) {
        String text = new String(key, StandardCharsets.UTF_8);
        assertThat(text).startsWith("holdfast:{").endsWith("}");
        byte[] tag = Arrays.copyOfRange(key, "holdfast:{".length(), key.length - 1);
        assertThat(new String(tag, StandardCharsets.UTF_8)).doesNotContain("{", "}");
        return tag;
    }

    private static int slotOf(byte[] text) {
        return JedisClusterCRC16.getCRC16(text) % SLOTS;
    }
}
