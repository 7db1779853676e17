package io.holdfast.lock.spring.key;

import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.spel.support.StandardTypeConverter;

/** Joins a value of Kotlin's value classes with text as what it holds, not as {@code Num(value=5)}. */
final class KeyTypeConverter extends StandardTypeConverter {

    @Override
    public boolean canConvert(@Nullable TypeDescriptor source, TypeDescriptor target) {
        return target.getType() == String.class || super.canConvert(source, target);
    }

    @Override
    public @Nullable Object convertValue(
            @Nullable Object value, @Nullable TypeDescriptor source, TypeDescriptor target) {
        Object held = target.getType() == String.class ? ValueClasses.unboxed(value) : value;
        return held == value ? super.convertValue(value, source, target) : String.valueOf(held);
    }
}
