package io.holdfast.lock.redis;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/** What a native image has to keep because the core finds it by its name only. */
final class NativeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources().registerPattern("io/holdfast/lock/redis/*.lua");
        Drivers.registerHints(hints);
        hints.reflection()
                .registerType(TypeReference.of("io.holdfast.lock.lease.Lease"), MemberCategory.ACCESS_DECLARED_FIELDS);
    }
}
