package io.holdfast.lock.redis;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/** What a native image has to keep because the core finds it by its name only. */
final class NativeHints implements RuntimeHintsRegistrar {

    /** Classes with fields that an updater finds by their names. */
    private static final List<String> UPDATED_BY_FIELD = List.of("io.holdfast.lock.engine.hold.Hold");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources().registerPattern("io/holdfast/lock/redis/*.lua");
        Drivers.registerHints(hints, loader);
        for (String type : UPDATED_BY_FIELD) {
            hints.reflection().registerType(TypeReference.of(type), MemberCategory.ACCESS_DECLARED_FIELDS);
        }
    }
}
