package io.holdfast.lock.spring.aop;

import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import io.holdfast.lock.spring.definition.AnnotatedMethods;
import io.holdfast.lock.spring.definition.LockDefinition;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
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

    private static final Logger log = LoggerFactory.getLogger(AnnotatedPointcut.class);

    private static final Set<String> CALLED_BY_SPRING = Set.of(
            "jakarta.annotation.PostConstruct",
            "jakarta.annotation.PreDestroy",
            "jakarta.annotation.Resource",
            "jakarta.inject.Inject",
            "org.springframework.beans.factory.annotation.Autowired",
            "org.springframework.beans.factory.annotation.Value",
            "org.springframework.context.annotation.Bean");

    private final Set<Class<?>> warned = ConcurrentHashMap.newKeySet();
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
        if (all.isEmpty()) {
            refuseIdleAnnotation(ClassUtils.getUserClass(type));
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

    /** It would look as if the class was locked. */
    private void refuseIdleAnnotation(Class<?> userClass) {
        if (isOnClass(userClass, SearchStrategy.TYPE_HIERARCHY)) {
            throw new LockDefinitionException(
                    named() + " on " + userClass.getName()
                            + " has no effect: on a class it applies to public methods, and there are none.",
                    "Make the methods public, or annotate the methods themselves.");
        }
    }

    /**
     * Warns of methods that other beans can call, but that the annotation of their class does not cover, since they are not public.
     *
     * @param type the class of a bean
     */
    public void warnOfUncovered(Class<?> type) {
        Class<?> userClass = ClassUtils.getUserClass(type);
        if (!getClassFilter().matches(type) || !isOnClass(userClass, SearchStrategy.SUPERCLASS)) {
            return;
        }
        Set<String> uncovered = new TreeSet<>();
        for (Method each : declaredMethods(userClass)) {
            if (isCallable(each, userClass)
                    && methods.find(each, userClass) == null
                    && !methods.isExempt(each, userClass)) {
                uncovered.add(KotlinNames.of(each) + LockDefinition.parameters(each));
            }
        }
        if (!uncovered.isEmpty() && warned.add(userClass)) {
            log.warn(
                    "{} on {} applies to public methods only, so it has no effect on {}. Make these methods public, or"
                            + " annotate them.",
                    named(),
                    userClass.getName(),
                    String.join(", ", uncovered));
        }
    }

    /** By another bean: not what the container calls, and not what a superclass calls, which has the method for its subclasses. */
    private static boolean isCallable(Method method, Class<?> userClass) {
        int modifiers = method.getModifiers();
        return !Modifier.isPublic(modifiers)
                && !Modifier.isPrivate(modifiers)
                && !Modifier.isStatic(modifiers)
                && ClassUtils.isUserLevelMethod(method)
                && method.getDeclaringClass() != Object.class
                && method.equals(ClassUtils.getMostSpecificMethod(method, userClass))
                && !isHook(method)
                && MergedAnnotations.from(method).stream()
                        .noneMatch(
                                each -> CALLED_BY_SPRING.contains(each.getType().getName()));
    }

    private static boolean isHook(Method method) {
        Class<?> parent = method.getDeclaringClass().getSuperclass();
        return Modifier.isProtected(method.getModifiers())
                && parent != null
                && ReflectionUtils.findMethod(parent, method.getName(), method.getParameterTypes()) != null;
    }

    private boolean isOnClass(Class<?> userClass, SearchStrategy where) {
        return MergedAnnotations.from(userClass, where).isPresent(rules.annotation());
    }

    private String named() {
        return "@" + rules.annotation().getSimpleName();
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
