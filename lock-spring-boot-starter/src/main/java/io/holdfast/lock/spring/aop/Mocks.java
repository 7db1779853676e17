package io.holdfast.lock.spring.aop;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Knows the mocks that tests put in the place of beans. They do nothing that would need a lock. */
final class Mocks {

    private static final @Nullable Method MOCKING_DETAILS = find("org.mockito.Mockito", "mockingDetails", Object.class);
    private static final @Nullable Method IS_MOCK = find("org.mockito.MockingDetails", "isMock");

    private Mocks() {}

    static boolean isMock(Object instance) {
        if (MOCKING_DETAILS == null || IS_MOCK == null) {
            return false;
        }
        Object details = ReflectionUtils.invokeMethod(MOCKING_DETAILS, null, instance);
        return Boolean.TRUE.equals(ReflectionUtils.invokeMethod(IS_MOCK, details));
    }

    private static @Nullable Method find(String type, String method, Class<?>... parameters) {
        ClassLoader loader = Mocks.class.getClassLoader();
        return ClassUtils.isPresent(type, loader)
                ? ReflectionUtils.findMethod(ClassUtils.resolveClassName(type, loader), method, parameters)
                : null;
    }
}
