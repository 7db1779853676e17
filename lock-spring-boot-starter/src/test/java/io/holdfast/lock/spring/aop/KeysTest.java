package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.LockContext;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.DistributedReadLock;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
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
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.StringTokenizer;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AliasFor;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Keys of several parts, and several keys at once. Each method answers what it locks. */
class KeysTest {

    @DistributedLock(name = "account")
    @Retention(RetentionPolicy.RUNTIME)
    @interface AccountLock {

        @AliasFor(annotation = DistributedLock.class)
        String key() default "";

        @AliasFor(annotation = DistributedLock.class)
        String[] keys() default {};
    }

    static class Locked {

        @DistributedLock(name = "n", key = "#value")
        public List<String> one(Object value) {
            return held();
        }

        @DistributedLock(name = "n", key = "parts(#value['shop'], #value['id'])")
        public List<String> entries(Map<String, Object> value) {
            return held();
        }

        @DistributedLock(name = "n", key = "#value['id'] = 'b'")
        public List<String> assigningEntry(Map<String, String> value) {
            return held();
        }

        @DistributedLock(name = "n", keys = "#value")
        public List<String> each(Object value) {
            return held();
        }

        @DistributedLock(
                name = "n",
                keys = {"#first", "#second"})
        public List<String> both(Object first, Object second) {
            return held();
        }

        @DistributedLock(keys = "#second.![#root.parts(#first, #this)]")
        public List<String> eachIn(String first, List<String> second) {
            return held();
        }

        @DistributedLock(keys = "#second.![parts(#first, #this)]")
        public List<String> eachOf(String first, List<String> second) {
            return held();
        }

        @DistributedLock(name = "n", key = "parts(#value)")
        public List<String> onePart(Object value) {
            return held();
        }

        @DistributedLock(key = "parts('n-' + #first, #second)")
        public List<String> partOfText(Object first, Object second) {
            return held();
        }

        @DistributedLock(keys = "{'n-' + #first, 'n-' + #second}")
        public List<String> textsOf(Object first, Object second) {
            return held();
        }

        @DistributedLock(name = "n", key = "parts(#first, #second)")
        public List<String> two(Object first, Object second) {
            return held();
        }

        @DistributedLock(name = "n", key = "parts(#first, #second, #third)")
        public List<String> three(Object first, Object second, Object third) {
            return held();
        }

        @DistributedLock(key = "parts(#first, #second)")
        public List<String> withoutName(Object first, Object second) {
            return held();
        }

        @DistributedLock(name = "n", keys = "{#first, #second}")
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

        @DistributedLock(name = "n", keys = "#values")
        public List<String> ofVarargs(long... values) {
            return held();
        }

        @DistributedLock(name = "n", key = "#value = 'changed'")
        public List<String> assigning(Object value) {
            return held();
        }

        @DistributedLock(name = "n", keys = "#values.![#this.length()]")
        public List<String> projecting(List<String> values) {
            return held();
        }

        @DistributedLock(name = "n", key = "T(io.holdfast.lock.spring.aop.Annotated$Colour).RED")
        public List<String> ofType() {
            return held();
        }

        @DistributedLock(key = "'n:' + #value")
        public List<String> joined(Object value) {
            return held();
        }

        @AccountLock(key = "#id")
        public List<String> account(Object id) {
            return held();
        }

        @AccountLock(keys = {"#from", "#to"})
        public List<String> accounts(Object from, Object to) {
            return held();
        }

        @DistributedReadLock(
                name = "r",
                keys = {"#from", "#to"})
        @DistributedLock(name = "w", key = "parts(#from, #to)")
        public List<String> repeated(Object from, Object to) {
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
    void parts_are_joined_as_the_template_joins_them() {
        runner.run(context -> {
            Locked locked = context.getBean(Locked.class);
            for (String text : texts()) {
                assertThat(locked.onePart(text))
                        .containsExactly(LockKey.of("n", text).value());
                assertThat(locked.two(text, text))
                        .containsExactly(LockKey.of("n", text, text).value());
            }
        });
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
        keysOf(locked -> locked.each(new LinkedHashSet<>(List.of(2, 1))), "n:1", "n:2");
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
        keysOf(locked -> locked.each(List.of("a", "a")), "n:a");
        keysOf(locked -> locked.both("a", List.of("a")), "n:a");
    }

    @Test
    void several_expressions_are_several_locks() {
        keysOf(locked -> locked.both("b", "a"), "n:a", "n:b");
        keysOf(locked -> locked.both("c", List.of("a", "b")), "n:a", "n:b", "n:c");
        keysOf(locked -> locked.each("a"), "n:a");
    }

    @Test
    void composed_and_repeated_annotations_have_both() {
        keysOf(locked -> locked.account(1), "account:1");
        keysOf(locked -> locked.accounts(2, 1), "account:1", "account:2");
        keysOf(locked -> locked.repeated("a:b", 1), "r:1", "r:a:b", "w:a\\:b:1");
    }

    static List<Object> several() {
        return List.of(List.of(1, 2), Set.of(1), new int[] {1, 2}, List.of());
    }

    @ParameterizedTest
    @MethodSource("several")
    void collection_is_no_single_lock(Object several) {
        String[] offers = {"which is not a single value", "all or none, use keys = ", "use key = \"parts(#shop, #id)\""
        };
        refused(locked -> locked.one(several), "key \"#value\": the value is a collection or an array, ", offers[0]);
        refused(locked -> locked.one(several), offers);
        refused(locked -> locked.two("a", several), "part 2 is a collection or an array, ", offers[0]);
        refused(locked -> locked.two("a", several), offers);
        refused(locked -> locked.onePart(several), "part 1 is a collection or an array, ", offers[0]);
    }

    /** A million times a million keys would not fit into memory. */
    @Test
    void more_than_1000_keys_are_refused_before_they_are_built() {
        List<Integer> many = IntStream.range(0, 1_000_000).boxed().toList();

        refused(locked -> locked.each(many), "keys \"#value\"", "1000000 keys; at most 1000 are allowed");
        refused(
                locked -> locked.both(many.subList(0, 600), many.subList(500, 1_001)),
                "keys \"#second\"",
                "the call would lock 1001 keys; at most 1000 are allowed. Lock something that they have in common");
    }

    @Test
    void a_thousand_different_keys_may_be_locked() {
        List<Integer> many = IntStream.range(0, 1_000).boxed().toList();

        runner.run(context -> assertThat(
                        context.getBean(Locked.class).both(many.subList(0, 600), many.subList(500, 1_000)))
                .hasSize(1_000));
    }

    @Test
    void element_may_be_an_optional() {
        keysOf(locked -> locked.each(List.of(Optional.of("a"))), "n:a");
    }

    record Point(int x, int y) {}

    static List<Arguments> wrapped() {
        return List.of(
                Arguments.of(OptionalLong.of(5), "5"),
                Arguments.of(OptionalInt.of(5), "5"),
                Arguments.of(OptionalDouble.of(2.5), "2.5"),
                Arguments.of(Optional.of(OptionalLong.of(5)), "5"),
                Arguments.of(Optional.of(Optional.of("a")), "a"),
                Arguments.of(new AtomicLong(5), "5"),
                Arguments.of(new AtomicBoolean(true), "true"),
                Arguments.of(new AtomicReference<>("a"), "a"),
                Arguments.of(new AtomicReference<>(OptionalInt.of(5)), "5"),
                Arguments.of(new StringBuilder("a"), "a"),
                Arguments.of(new Point(1, 2), "Point[x=1, y=2]"),
                Arguments.of(Path.of("a", "b"), "a/b"),
                Arguments.of(UUID.fromString("0-0-0-0-1"), "00000000-0000-0000-0000-000000000001"),
                Arguments.of(Optional.of("John.Doe@cafe.example"), "John.Doe@cafe.example"));
    }

    @ParameterizedTest
    @MethodSource("wrapped")
    void key_is_the_text_of_the_value_wherever_it_is(Object value, String text) {
        keysOf(locked -> locked.one(value), "n:" + text);
        keysOf(locked -> locked.each(value), "n:" + text);
        keysOf(locked -> locked.each(List.of(value)), "n:" + text);
        keysOf(locked -> locked.two(value, "b"), "n:" + text + ":b");
        keysOf(locked -> locked.joined(value), "n:" + text);
        keysOf(locked -> locked.joined(List.of(value, value)), "n:" + text + "," + text);
    }

    static List<Object> withoutValue() {
        return List.of(
                OptionalLong.empty(),
                OptionalInt.empty(),
                OptionalDouble.empty(),
                Optional.empty(),
                Optional.of(OptionalLong.empty()),
                new AtomicReference<>());
    }

    @ParameterizedTest
    @MethodSource("withoutValue")
    void value_that_is_empty_is_an_error_wherever_it_is(Object empty) {
        refused(locked -> locked.one(empty), "the value is null. Check the argument before the call");
        refused(locked -> locked.each(List.of(empty)), "element 0 of the value is null");
        refused(locked -> locked.two("a", empty), "key \"parts(#first, #second)\": part 2 is null. Check");
        refused(locked -> locked.onePart(empty), "part 1 is null");
        refused(locked -> locked.joined(empty), "#value is null, so all callers without a value would share one key");
        refused(locked -> locked.joined(List.of("a", empty)), "element 1 of the value is null");
    }

    record Holder(Object content) {}

    static List<Arguments> withoutText() {
        return List.of(
                Arguments.of(new Object(), "does not override toString()"),
                Arguments.of(new AtomicReference<>(new Object()), "java.lang.Object, whose text has the identity"),
                Arguments.of(new Holder(new Object()), "KeysTest$Holder, whose text has the identity of an object"),
                Arguments.of((Supplier<String>) () -> "a", "whose text has the identity of an object"),
                Arguments.of(Stream.of(1), "java.util.stream.ReferencePipeline$Head, whose text has the identity"),
                Arguments.of(List.of(1).iterator(), "whose text has the identity of an object"),
                Arguments.of(new StringTokenizer("a"), "java.util.StringTokenizer, whose text has the identity"),
                Arguments.of(new FutureTask<>(() -> 1), "java.util.concurrent.FutureTask, whose text has the identity"),
                Arguments.of(new ReentrantLock(), "ReentrantLock, whose text has the identity of an object"),
                Arguments.of(CompletableFuture.completedFuture(1), "CompletableFuture, whose text does not contain"),
                Arguments.of(Mono.just(1), "reactor.core.publisher.MonoJust, whose text does not contain its content"),
                Arguments.of(Flux.just(1, 2), "reactor.core.publisher.FluxArray, whose text does not contain"),
                Arguments.of(ByteBuffer.allocate(1), "java.nio.HeapByteBuffer, whose text does not contain"),
                Arguments.of(new Date(), "java.util.Date, whose text depends on the time zone"),
                Arguments.of(Calendar.getInstance(), "GregorianCalendar, whose text depends on the time zone"),
                Arguments.of(
                        Map.of("a", 1),
                        "map, which is not a single value. Use a value in it, such as #map['id'], or join several:"
                                + " parts(#map['shop'], #map['id'])."));
    }

    @ParameterizedTest
    @MethodSource("withoutText")
    void object_whose_text_is_not_its_value_is_an_error_wherever_it_is(Object value, String problem) {
        refused(locked -> locked.one(value), "key \"#value\": the value is a ", problem);
        refused(locked -> locked.each(List.of(value)), "element 0 of the value is a ", problem);
        refused(locked -> locked.two("a", value), "key \"parts(#first, #second)\": part 2 is a ", problem);
        refused(locked -> locked.onePart(value), "part 1 is a ", problem);
        refused(
                locked -> locked.joined(value),
                "key \"'n:' + #value\": a value that is joined with text is a ",
                problem);
        refused(locked -> locked.joined(new Object[] {value}), "element 0 of the value is a ", problem);
    }

    @Test
    void parts_can_be_joined_with_each_element() {
        keysOf(locked -> locked.eachIn("s:1", List.of("a", "b")), "s\\:1:a", "s\\:1:b");
    }

    @Test
    void function_inside_a_projection_is_one_of_the_root() {
        refused(locked -> locked.eachOf("s", List.of("a")), "Inside ![…], write #root.parts(…).");
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
        refused(locked -> locked.each(empty), "Locked.each(Object)", "keys \"#value\"", "empty collection");
    }

    @Test
    void null_element_is_an_error() {
        refused(locked -> locked.each(Arrays.asList("a", null)), "element 1 of the value is null");
    }

    @Test
    void blank_element_is_an_error() {
        refused(locked -> locked.each(List.of(" ")), "element 0 of the value is blank");
    }

    @Test
    void null_part_is_an_error() {
        refused(locked -> locked.two("a", null), "key \"parts(#first, #second)\": part 2 is null");
        refused(locked -> locked.two(" ", "a"), "part 1 is blank");
        refused(locked -> locked.onePart(null), "part 1 is null");
    }

    @Test
    void values_in_a_map_may_be_joined() {
        keysOf(locked -> locked.entries(Map.of("shop", "s1", "id", 42)), "n:s1:42");
    }

    /** The advice is none of those that the caller already follows. */
    @ParameterizedTest
    @MethodSource("several")
    void collection_inside_a_collection_is_an_error(Object several) {
        refused(
                locked -> locked.each(List.of(several)),
                "keys \"#value\": element 0 of the value is a collection or an array, which is not a single value. Flatten"
                        + " the value before the call, use a property of each element, such as #orders.![id], or, with keys,"
                        + " write an expression for each collection: {\"#from\", \"#to\"}.");
        refused(locked -> locked.joined(List.of(several)), "element 0 of the value is a collection", "Flatten");
    }

    @Test
    void bytes_are_no_keys() {
        refused(locked -> locked.one(new byte[] {1, 2}), "byte[]", "Build the key from the content");
        refused(locked -> locked.each(new char[] {'a'}), "char[]", "Build the key from the content");
        refused(locked -> locked.onePart(new byte[] {1, 2}), "part 1 is a byte[]", "Build the key from the content");
    }

    @Test
    void text_with_null_in_it_is_an_error() {
        refused(locked -> locked.text(null, "b"), "Locked.text(Object, Object)", "#first is null", "#first ?: 'none'");
        refused(locked -> locked.textOrNot(new HashMap<>()), "#value.get('id') is null");
        refused(locked -> locked.partOfText(null, "b"), "#first is null", "#first ?: 'none'");
        refused(locked -> locked.textsOf("a", null), "#second is null", "#second ?: 'none'");
    }

    @Test
    void null_that_is_a_text_or_is_replaced_is_none() {
        keysOf(locked -> locked.text("null", null), "n-null-none");
        keysOf(locked -> locked.textOrNot(null), "null and void");
        keysOf(locked -> locked.partOfText("null", "b"), "n-null:b");
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
