package io.holdfast.lock.explore;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.objenesis.Objenesis;
import org.springframework.objenesis.ObjenesisStd;

/**
 * Copies production objects together with everything of theirs that can change, whatever fields they have. Records, enums,
 * and what belongs to nobody alone (clocks, listeners, mutexes) are shared.
 */
final class ObjectGraph {

    private static final Set<String> COPIED_PACKAGES = Set.of("io.holdfast.lock.memory", "io.holdfast.lock.waiting");
    private static final Objenesis MAKER = new ObjenesisStd(true);
    private static final Map<Class<?>, Field[]> FIELDS = new HashMap<>();
    private static final Map<Class<?>, Map<String, Field>> NAMED = new HashMap<>();
    private static final Map<Class<?>, Boolean> COPIED = new HashMap<>();

    private ObjectGraph() {}

    static <T> T copy(T root) {
        return copy(root, new IdentityHashMap<>());
    }

    @SuppressWarnings("unchecked")
    private static <T> T copy(T original, Map<Object, Object> done) {
        if (original == null || !isCopied(original.getClass())) {
            return original;
        }
        Object copy = done.get(original);
        if (copy == null) {
            copy = original instanceof Map<?, ?> || original instanceof ArrayList<?>
                    ? collection(original, done)
                    : fields(original, done);
        }
        return (T) copy;
    }

    private static boolean isCopied(Class<?> type) {
        return COPIED.computeIfAbsent(
                type,
                each -> Map.class.isAssignableFrom(each)
                        || each == ArrayList.class
                        || (COPIED_PACKAGES.contains(each.getPackageName())
                                && !each.isRecord()
                                && !each.isEnum()
                                && !each.isHidden()));
    }

    @SuppressWarnings("unchecked")
    private static Object collection(Object original, Map<Object, Object> done) {
        Object copy;
        if (original instanceof ArrayList<?> list) {
            copy = list.clone();
            ((List<Object>) copy).replaceAll(each -> copy(each, done));
        } else if (original instanceof HashMap<?, ?> map) {
            copy = map.clone();
            ((Map<Object, Object>) copy).replaceAll((key, value) -> copy(value, done));
        } else {
            throw new IllegalStateException("The exploration cannot copy a " + original.getClass());
        }
        done.put(original, copy);
        return copy;
    }

    private static Object fields(Object original, Map<Object, Object> done) {
        Object copy = MAKER.newInstance(original.getClass());
        done.put(original, copy);
        try {
            for (Field field : fieldsOf(original.getClass())) {
                field.set(copy, copy(field.get(original), done));
            }
        } catch (IllegalAccessException e) {
            throw new LinkageError("A field cannot be copied", e);
        }
        return copy;
    }

    static Field[] fieldsOf(Class<?> type) {
        return FIELDS.computeIfAbsent(type, each -> {
            List<Field> fields = new ArrayList<>();
            for (Field field : each.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    fields.add(field);
                }
            }
            return fields.toArray(Field[]::new);
        });
    }

    static Object read(Object from, String name) {
        try {
            return field(from, name).get(from);
        } catch (IllegalAccessException e) {
            throw new LinkageError("A field cannot be read", e);
        }
    }

    static void set(Object in, String name, Object value) {
        try {
            field(in, name).set(in, value);
        } catch (IllegalAccessException e) {
            throw new LinkageError("A field cannot be set", e);
        }
    }

    private static Field field(Object from, String name) {
        return NAMED.computeIfAbsent(from.getClass(), unused -> new HashMap<>())
                .computeIfAbsent(
                        name,
                        wanted -> Arrays.stream(fieldsOf(from.getClass()))
                                .filter(field -> field.getName().equals(wanted))
                                .findFirst()
                                .orElseThrow(
                                        () -> new IllegalStateException(from.getClass() + " has no field " + wanted)));
    }
}
