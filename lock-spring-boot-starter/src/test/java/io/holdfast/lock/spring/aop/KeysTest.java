package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LockContext;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Keys of several parts, and several keys at once. Each method answers what it locks. */
class KeysTest {

    static class Locked {

        @DistributedLock(name = "n", key = "#value")
        public List<String> one(Object value) {
            return held();
        }

        @DistributedLock(name = "n", key = "#value['id'] = 'b'")
        public List<String> assigningEntry(Map<String, String> value) {
            return held();
        }

        @DistributedLock(
                name = "n",
                key = {"#first", "#second"})
        public List<String> two(Object first, Object second) {
            return held();
        }

        @DistributedLock(
                name = "n",
                key = {"#first", "#second", "#third"})
        public List<String> three(Object first, Object second, Object third) {
            return held();
        }

        @DistributedLock(key = {"#first", "#second"})
        public List<String> withoutName(Object first, Object second) {
            return held();
        }

        @DistributedLock(name = "n", key = "{#first, #second}")
        public List<String> listOf(Object first, Object second) {
            return held();
        }

        @DistributedLock(key = "'n-' + #first + '-' + (#second ?: 'none')")
        public List<String> text(Object first, Object second) {
            return held();
        }

        @DistributedLock(key = "#value == null ? 'null and void' : 'n-' + #value.get('id')")
        public List<String> textOrNot(Map<String, Object> value) {
            return held();
        }

        @DistributedLock(key = "#value.length()")
        public List<String> lengthOf(String value) {
            return held();
        }

        @DistributedLock(key = "'n-' + #value.get('id').toString()")
        public List<String> textOfEntry(Map<String, Object> value) {
            return held();
        }

        @DistributedLock(name = "n", key = "#values")
        public List<String> ofVarargs(long... values) {
            return held();
        }

        @DistributedLock(name = "n", key = "#value = 'changed'")
        public List<String> assigning(Object value) {
            return held();
        }

        @DistributedLock(name = "n", key = "#values.![#this.length()]")
        public List<String> projecting(List<String> values) {
            return held();
        }

        @DistributedLock(name = "n", key = "T(io.holdfast.lock.spring.aop.Annotated$Colour).RED")
        public List<String> ofType() {
            return held();
        }

        private static List<String> held() {
            return LockContext.current().orElseThrow().keys().stream()
                    .map(LockKey::value)
                    .toList();
        }
    }

    private final ApplicationContextRunner runner = Runners.inMemory().withBean(Locked.class);

    private void keysOf(Function<Locked, List<String>> call, String... expected) {
        runner.run(
                context -> assertThat(call.apply(context.getBean(Locked.class))).containsExactly(expected));
    }

    private void refused(Function<Locked, List<String>> call, String... texts) {
        runner.run(context -> assertThatThrownBy(() -> call.apply(context.getBean(Locked.class)))
                .isInstanceOf(LockKeyException.class)
                .hasMessageContainingAll(texts));
    }

    @Test
    void parts_are_joined_by_colons() {
        keysOf(locked -> locked.two("shop", 42), "n:shop:42");
    }

    @Test
    void parts_are_joined_without_a_name_too() {
        keysOf(locked -> locked.withoutName("shop", 42), "shop:42");
    }

    @Test
    void colons_and_backslashes_inside_parts_are_escaped() {
        keysOf(locked -> locked.two("a:b", "c\\d"), "n:a\\:b:c\\\\d");
    }

    @Test
    void single_part_stays_as_it_is() {
        keysOf(locked -> locked.one("urn:isbn\\1"), "n:urn:isbn\\1");
    }

    @Test
    void single_part_is_the_lock_of_the_template() {
        runner.run(context -> {
            try (var other =
                    context.getBean(LockTemplate.class).acquire("n:a:b").detach()) {
                assertThat(context.getBean(LockTemplate.class).tryAcquire("n:a:b"))
                        .isEmpty();
                assertThat(other.isHeld()).isTrue();
            }
            assertThat(context.getBean(Locked.class).one("a:b")).containsExactly("n:a:b");
        });
    }

    /** All texts of up to three characters of a colon, a backslash and a letter, in twos and threes. */
    @Test
    void different_parts_are_never_the_same_key() {
        List<String> texts = texts();
        runner.run(context -> {
            Locked locked = context.getBean(Locked.class);
            Map<String, List<String>> meaning = new HashMap<>();
            for (String first : texts) {
                for (String second : texts) {
                    require(meaning, locked.two(first, second).get(0), List.of(first, second));
                }
            }
            for (String first : texts.subList(0, 12)) {
                for (String second : texts.subList(0, 12)) {
                    for (String third : texts.subList(0, 12)) {
                        require(meaning, locked.three(first, second, third).get(0), List.of(first, second, third));
                    }
                }
            }
            assertThat(meaning).hasSize(39 * 39 + 12 * 12 * 12);
        });
    }

    private static void require(Map<String, List<String>> meaning, String key, List<String> parts) {
        List<String> other = meaning.putIfAbsent(key, parts);
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

    @Test
    void collection_is_a_multi_lock() {
        keysOf(locked -> locked.one(new LinkedHashSet<>(List.of(2, 1))), "n:1", "n:2");
    }

    @Test
    void array_is_a_multi_lock() {
        keysOf(locked -> locked.ofVarargs(7, 3), "n:3", "n:7");
    }

    @Test
    void list_in_the_expression_is_a_multi_lock() {
        keysOf(locked -> locked.listOf("b", "a"), "n:a", "n:b");
    }

    @Test
    void equal_elements_are_one_key() {
        keysOf(locked -> locked.one(List.of("a", "a")), "n:a");
    }

    @Test
    void element_may_be_an_optional() {
        keysOf(locked -> locked.one(List.of(Optional.of("a"))), "n:a");
    }

    @Test
    void part_that_is_a_collection_is_joined_with_each() {
        keysOf(locked -> locked.three("s:1", List.of("a", "b"), "x"), "n:s\\:1:a:x", "n:s\\:1:b:x");
    }

    @Test
    void projection_makes_a_multi_lock() {
        keysOf(locked -> locked.projecting(List.of("a", "bcd")), "n:1", "n:3");
    }

    @Test
    void types_are_seen_as_the_class_of_the_bean_sees_them() {
        keysOf(Locked::ofType, "n:RED");
    }

    static List<Object> empties() {
        return List.of(List.of(), Set.of(), new int[0]);
    }

    @ParameterizedTest
    @MethodSource("empties")
    void nothing_to_lock_is_an_error(Object empty) {
        refused(locked -> locked.one(empty), "Locked.one(Object)", "key \"#value\"", "empty collection");
    }

    @Test
    void null_element_is_an_error() {
        refused(locked -> locked.one(Arrays.asList("a", null)), "element 1 of the value is null");
    }

    @Test
    void blank_element_is_an_error() {
        refused(locked -> locked.one(List.of(" ")), "element 0 of the value is blank");
    }

    @Test
    void null_part_is_an_error() {
        refused(locked -> locked.two("a", null), "key \"#second\"", "is null");
    }

    @Test
    void map_is_an_error() {
        refused(locked -> locked.one(Map.of(1, 2)), "the value is a map");
    }

    @Test
    void collection_inside_a_collection_is_an_error() {
        refused(locked -> locked.one(List.of(List.of(1))), "element 0 of the value is a collection");
    }

    @Test
    void bytes_are_no_keys() {
        refused(locked -> locked.one(new byte[] {1, 2}), "byte[]", "Convert it to text");
    }

    @Test
    void text_with_null_in_it_is_an_error() {
        refused(locked -> locked.text(null, "b"), "Locked.text(Object, Object)", "#first is null", "#first ?: 'none'");
        refused(locked -> locked.textOrNot(new HashMap<>()), "#value.get('id') is null");
    }

    @Test
    void null_that_is_a_text_or_is_replaced_is_none() {
        keysOf(locked -> locked.text("null", null), "n-null-none");
        keysOf(locked -> locked.textOrNot(null), "null and void");
    }

    @Test
    void text_of_an_array_is_an_error() {
        keysOf(locked -> locked.text(new int[] {1, 2}, "b"), "n-1,2-b");
        refused(locked -> locked.one("x[I@1b2c3d"), "the default text of an array", "[I@");
        refused(locked -> locked.one("x[Ljava.lang.String;@1b2c3d"), "the default text of an array");
        keysOf(locked -> locked.one("alice@example.com"), "n:alice@example.com");
    }

    @Test
    void date_is_an_error_since_its_text_depends_on_the_time_zone() {
        refused(locked -> locked.one(new Date()), "java.util.Date", "time zone", "toInstant()");
        refused(locked -> locked.one(java.sql.Date.valueOf("2026-01-31")), "java.sql.Date");
        refused(locked -> locked.one(Calendar.getInstance()), "GregorianCalendar");
        keysOf(locked -> locked.one(Instant.EPOCH), "n:1970-01-01T00:00:00Z");
    }

    @Test
    void property_or_method_of_null_is_an_error_that_names_what_is_null() {
        refused(locked -> locked.lengthOf(null), "#value is null. Check the argument before the call");
        refused(locked -> locked.textOfEntry(new HashMap<>()), "#value.get('id') is null");
        refused(locked -> locked.textOfEntry(null), "#value is null. Check");
    }

    @Test
    void expression_cannot_change_the_arguments() {
        refused(locked -> locked.assigning("a"), "cannot be evaluated");
        Map<String, String> value = new HashMap<>(Map.of("id", "a"));
        refused(locked -> locked.assigningEntry(value), "cannot be evaluated");
        assertThat(value).containsEntry("id", "a");
    }
}
