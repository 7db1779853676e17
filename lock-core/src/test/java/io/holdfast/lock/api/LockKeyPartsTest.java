package io.holdfast.lock.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LockKeyPartsTest {

    @Test
    void parts_are_joined_by_colons() {
        assertThat(LockKey.of("order", "s1", 42).value()).isEqualTo("order:s1:42");
        assertThat(LockKey.of("order", 42)).isEqualTo(LockKey.of("order:42"));
        UUID id = UUID.randomUUID();
        assertThat(LockKey.of("order", id, LockMode.SHARED, Path.of("a", "b")).value())
                .isEqualTo("order:" + id + ":SHARED:a/b");
    }

    @Test
    void colons_and_backslashes_are_escaped_in_each_part() {
        assertThat(LockKey.of("a:b", "c\\d").value()).isEqualTo("a\\:b:c\\\\d");
    }

    /** All texts of up to three characters of a colon, a backslash and a letter, alone, in twos and in threes. */
    @Test
    void different_parts_are_never_the_same_key() {
        Map<String, List<String>> meaning = new HashMap<>();
        List<String> texts = texts();
        for (String first : texts) {
            require(meaning, LockKey.of(first, new Object[0]), List.of(first));
            for (String second : texts) {
                require(meaning, LockKey.of(first, second), List.of(first, second));
                for (String third : texts.subList(0, 12)) {
                    require(meaning, LockKey.of(first, second, third), List.of(first, second, third));
                }
            }
        }
        assertThat(meaning).hasSize(39 + 39 * 39 + 39 * 39 * 12);
    }

    private static void require(Map<String, List<String>> meaning, LockKey key, List<String> parts) {
        List<String> other = meaning.putIfAbsent(key.value(), parts);
        assertThat(other).as("%s and %s are both %s", other, parts, key).isNull();
    }

    private static List<String> texts() {
        List<String> texts = new ArrayList<>(List.of("a", ":", "\\"));
        for (int from = 0, length = 2; length <= 3; length++) {
            int to = texts.size();
            for (String head : List.copyOf(texts.subList(from, to))) {
                for (String tail : List.of("a", ":", "\\")) {
                    texts.add(head + tail);
                }
            }
            from = to;
        }
        return texts;
    }

    enum Shop {
        NORTH {
            @Override
            public String toString() {
                return "the shop in the north";
            }
        }
    }

    @Test
    void enum_constant_is_its_name() {
        assertThat(LockKey.of("shop", Shop.NORTH).value()).isEqualTo("shop:NORTH");
    }

    static List<Object> severalOrNone() {
        return List.of(List.of(1), Map.of(1, 2), Optional.of(1), new int[] {1}, new byte[] {1}, new Object());
    }

    @ParameterizedTest
    @MethodSource("severalOrNone")
    void part_that_is_no_single_value_is_refused(Object part) {
        assertThatThrownBy(() -> LockKey.of("order", 1, part))
                .isInstanceOf(LockKeyException.class)
                .hasMessage("Part 3 of the lock key is a " + part.getClass().getTypeName()
                        + ", which is not a single value. Pass one value for each part, such as its id.");
    }

    @Test
    void part_without_text_is_refused() {
        assertThatThrownBy(() -> LockKey.of("order", 1, null))
                .isInstanceOf(LockKeyException.class)
                .hasMessage("Part 3 of the lock key is null. Check the value before the call.");
        assertThatThrownBy(() -> LockKey.of(" ", 1))
                .isInstanceOf(LockKeyException.class)
                .hasMessage("Part 1 of the lock key is blank. Check the value before the call.");
        assertThatThrownBy(() -> LockKey.of("a", "b".repeat(LockKey.MAX_LENGTH)))
                .isInstanceOf(LockKeyException.class)
                .hasMessageContaining("has 16386 characters; at most 16384 are allowed");
    }
}
