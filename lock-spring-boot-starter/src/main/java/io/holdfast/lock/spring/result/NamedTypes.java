package io.holdfast.lock.spring.result;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tells types by their names, since an application need not have them. */
final class NamedTypes {

    private NamedTypes() {}

    /** {@return whether a type, a superclass or an interface of it has one of the names} */
    static boolean isA(@Nullable Class<?> type, Set<String> names) {
        if (type == null) {
            return false;
        }
        if (names.contains(type.getName()) || isA(type.getSuperclass(), names)) {
            return true;
        }
        for (Class<?> each : type.getInterfaces()) {
            if (isA(each, names)) {
                return true;
            }
        }
        return false;
    }
}
