package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.key.KeySource;
import org.jspecify.annotations.Nullable;

/**
 * What another annotation of a method locks beside the leading one.
 *
 * @param name the first part of its keys, or else the method's short name
 * @param key yields the keys
 * @param shape says mode, limit and fairness
 */
public record FurtherLock(String name, KeySource key, LockRequest shape) {

    LockRequest request(@Nullable Object target, Class<?> targetClass, @Nullable Object[] args) {
        return shape.keys(key.keysFor(target, targetClass, args));
    }
}
