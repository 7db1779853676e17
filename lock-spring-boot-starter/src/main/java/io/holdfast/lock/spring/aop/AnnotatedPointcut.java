package io.holdfast.lock.spring.aop;

import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.definition.AnnotatedMethods;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Matches methods that have an annotation. One that cannot work is an error already here, so a bean with one is never built, let
 * alone without its lock.
 *
 * <p>Only a build ahead of time goes on: placeholders need not have the values there that they have when the application
 * runs. It makes the proxy in any case, and the start of the application finds the error.
 *
 * @param <T> what the annotation says
 */
public final class AnnotatedPointcut<T> extends StaticMethodMatcherPointcut {

    private final AnnotatedMethods<T> methods;
    private final ProxyRules rules;

    /**
     * Creates an instance.
     *
     * @param methods finds the annotation
     * @param rules of what a proxy can do for a method that has it
     */
    public AnnotatedPointcut(AnnotatedMethods<T> methods, ProxyRules rules) {
        this.methods = methods;
        this.rules = rules;
        setClassFilter(new AnnotatedTypes(rules.annotation()));
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        try {
            return isAnnotated(method, targetClass);
        } catch (LockDefinitionException e) {
            if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
                return true;
            }
            throw e;
        }
    }

    private boolean isAnnotated(Method method, Class<?> targetClass) {
        T found = methods.find(method, targetClass);
        if (found == null) {
            return false;
        }
        rules.check(methods.methodOf(found), targetClass);
        return true;
    }

    /**
     * What the annotations of all methods say that calls of this class can reach, each once: also if a call may name the method of
     * the class, that of an interface, or the bridge between both.
     *
     * @param type the class of a bean
     * @return none if nothing of it is annotated
     * @throws LockDefinitionException if one cannot work
     */
    public List<T> allOf(Class<?> type) {
        if (!getClassFilter().matches(type)) {
            return List.of();
        }
        Map<Method, T> all = new LinkedHashMap<>();
        for (Method method : methodsOf(type)) {
            T found = matches(method, type) ? methods.find(method, type) : null;
            if (found != null) {
                all.putIfAbsent(methods.methodOf(found), found);
            }
        }
        return List.copyOf(all.values());
    }

    /**
     * Refuses a bean that was exposed without its proxy.
     *
     * @param name of the bean
     * @param type its class
     * @throws LockDefinitionException if it has annotated methods
     */
    void refuseEarly(String name, Class<?> type) {
        for (T each : allOf(type)) {
            throw rules.refuseEarly(methods.methodOf(each), ClassUtils.getUserClass(type), name);
        }
    }

    private static Set<Method> methodsOf(Class<?> type) {
        Set<Class<?>> types = new LinkedHashSet<>();
        types.add(ClassUtils.getUserClass(type));
        types.addAll(ClassUtils.getAllInterfacesForClassAsSet(type));
        Set<Method> methods = new LinkedHashSet<>();
        for (Class<?> each : types) {
            methods.addAll(List.of(declaredMethods(each)));
        }
        return methods;
    }

    /** None, if the class names types that are not there: such a bean cannot be built either. */
    private static Method[] declaredMethods(Class<?> type) {
        try {
            return ReflectionUtils.getAllDeclaredMethods(type);
        } catch (IllegalStateException notLoadable) {
            return new Method[0];
        }
    }
}
