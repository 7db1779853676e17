package io.holdfast.lock.spring.aop;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.annotation.LockRequestCustomizer;
import io.holdfast.lock.spring.definition.LockDefinition;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;

/** Makes the request of one call: what its definition says, and what customizers make of it. */
final class LockRequests {

    private final SingletonSupplier<List<LockRequestCustomizer>> customizers;

    /**
     * @param customizers in their order; asked for at the first call
     */
    LockRequests(Supplier<List<LockRequestCustomizer>> customizers) {
        this.customizers = SingletonSupplier.of(customizers);
    }

    LockRequest of(LockDefinition definition, @Nullable Object target, Class<?> targetClass, @Nullable Object[] args) {
        LockRequest request = definition.request(target, targetClass, args);
        for (LockRequestCustomizer each : customizers.obtain()) {
            request = customized(each, request, definition);
        }
        return request;
    }

    /**
     * Others' code may answer null, whatever its signature says. A new request waits as the former one would: its own
     * default would be another for values than for futures.
     */
    private static LockRequest customized(
            LockRequestCustomizer customizer, LockRequest request, LockDefinition definition) {
        @Nullable LockRequest customized = customizer.customize(request, definition.method());
        if (customized == null) {
            throw new IllegalStateException(customizer.getClass().getName() + " returned null for "
                    + definition.caller() + ". Return the given request if there is nothing to change.");
        }
        return customized
                .name(customized.name().isEmpty() ? request.name() : customized.name())
                .waitFor(customized.waitFor().or(request::waitFor).orElse(Duration.ZERO));
    }
}
