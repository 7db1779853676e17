package io.holdfast.lock.migration;

import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Runs the unit test of a migrated application, starts it, and calls methods of its beans; in a process of its own. */
final class MigratedApplication {

    private MigratedApplication() {}

    /** @param arguments the class of the test, and methods of beans: {@code bean#method} */
    public static void main(String[] arguments) throws Exception {
        for (Method each : Class.forName(arguments[0]).getDeclaredMethods()) {
            if (each.isAnnotationPresent(Test.class)) {
                runTest(each);
            }
        }
        Class<?> application = Class.forName("com.example.Application");
        try (ConfigurableApplicationContext context = SpringApplication.run(application)) {
            for (String each : Arrays.asList(arguments).subList(1, arguments.length)) {
                String[] parts = each.split("#", -1);
                call(context.getBean(parts[0]), parts[1]);
            }
        }
        System.exit(0); // whatever threads a library leaves
    }

    private static void runTest(Method method) throws Exception {
        Constructor<?> constructor = method.getDeclaringClass().getDeclaredConstructor();
        constructor.setAccessible(true);
        Object test = constructor.newInstance();
        callAll(test, BeforeEach.class);
        call(test, method.getName());
        callAll(test, AfterEach.class);
    }

    private static void callAll(Object test, Class<? extends Annotation> annotation) throws Exception {
        for (Method each : test.getClass().getDeclaredMethods()) {
            if (each.isAnnotationPresent(annotation)) {
                call(test, each.getName());
            }
        }
    }

    private static void call(Object bean, String name) throws Exception {
        Method method = Arrays.stream(bean.getClass().getDeclaredMethods())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
        method.setAccessible(true);
        Object[] arguments = Arrays.stream(method.getParameterTypes())
                .map(MigratedApplication::value)
                .toArray();
        try {
            method.invoke(bean, arguments);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(bean.getClass() + "." + name, e.getCause());
        }
    }

    private static Object value(Class<?> type) {
        return type == String.class ? "a" : type == int.class ? (Object) 1 : 1L;
    }
}
