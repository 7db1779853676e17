package io.holdfast.lock.spring.definition;

import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringValueResolver;

/**
 * Finds an annotation: on the method, on the methods it overrides or implements, on the class, on its super-types; in each place
 * also as a part of another annotation. The method takes precedence over the class. What it says is read once for each method
 * and target class.
 *
 * <p>An invalid one is an error as soon as Spring asks whether the method needs a proxy, so a bean with one is never created.
 *
 * @param <A> the annotation
 * @param <T> what it says
 */
public abstract class AnnotatedMethods<A extends Annotation, T> extends StaticMethodMatcherPointcut {

    private static final String PLACEHOLDER = "${";

    private final Class<A> annotation;
    private final StringValueResolver properties;
    private final Map<Class<?>, Boolean> types = new ConcurrentHashMap<>();
    private final Map<MethodClassKey, T> known = new ConcurrentHashMap<>();

    /**
     * Creates an instance.
     *
     * @param annotation what is looked for
     * @param properties replaces placeholders in its text
     */
    protected AnnotatedMethods(Class<A> annotation, StringValueResolver properties) {
        this.annotation = annotation;
        this.properties = properties;
        setClassFilter(this::isAnnotated);
    }

    /**
     * Whether a class, or a super-type of it, has the annotation or a method with it. Looks at each class and interface
     * once. Looking for the annotation of a method takes a search of all super-types, and beans have many methods; most
     * beans have no lock at all.
     */
    private boolean isAnnotated(Class<?> type) {
        if (!AnnotationUtils.isCandidateClass(type, annotation)) {
            return false;
        }
        Boolean annotated = types.get(type);
        if (annotated == null) {
            annotated = hasAnnotation(type)
                    || Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()))
                            .anyMatch(this::isAnnotated);
            types.put(type, annotated);
        }
        return annotated;
    }

    /** A class may name types that are not there, of an optional library: Spring cannot build such a bean either. */
    private boolean hasAnnotation(Class<?> type) {
        try {
            return MergedAnnotations.from(type).isPresent(annotation)
                    || Stream.of(ReflectionUtils.getDeclaredMethods(type))
                            .anyMatch(method -> MergedAnnotations.from(method).isPresent(annotation));
        } catch (IllegalStateException notLoadable) {
            return false;
        }
    }

    /**
     * {@return the text with its placeholders resolved; empty if they resolve to an empty text}
     *
     * @param attribute the attribute that contains the text
     * @param text may have placeholders
     * @param where the annotated place
     * @throws LockDefinitionException if a property is not set
     */
    protected final String resolve(String attribute, String text, String where) {
        if (!text.contains(PLACEHOLDER)) {
            return text;
        }
        IllegalArgumentException cause = null;
        try {
            String value = Objects.requireNonNullElse(properties.resolveStringValue(text), "");
            if (!value.contains(PLACEHOLDER)) {
                return value;
            }
        } catch (IllegalArgumentException e) {
            cause = e;
        }
        throw new LockDefinitionException(
                where + " has " + attribute + " = \"" + text + "\", but a property in it is not set.",
                "Set the property, or add a default: ${name:value}.",
                cause);
    }

    /**
     * {@return what the annotation says; null if it does not apply to the method}
     *
     * @param method runs when the annotated one is called
     * @param userClass the class of the bean; for a proxy, the interface that has the method
     * @param found those of the nearest place, at least one
     * @throws LockDefinitionException if it cannot work
     */
    protected abstract @Nullable T read(Method method, Class<?> userClass, List<MergedAnnotation<A>> found);

    /**
     * {@return what the annotation says, or null if the method has none}
     *
     * @param method as it is called
     * @param targetClass the class of the object that it is called on
     * @throws LockDefinitionException if the annotation cannot work
     */
    public final @Nullable T find(Method method, Class<?> targetClass) {
        MethodClassKey id = new MethodClassKey(method, targetClass);
        T found = known.get(id);
        if (found == null) {
            Class<?> userClass = userClass(method, targetClass);
            Method specific = specific(method, userClass);
            List<MergedAnnotation<A>> annotations = annotationsOf(method, specific, targetClass);
            found = annotations.isEmpty() ? null : read(specific, userClass, annotations);
            if (found != null) {
                requireProxy(specific, userClass, annotations.get(0).getSource() instanceof Method);
                known.put(id, found);
            }
        }
        return found;
    }

    /**
     * {@return what the annotation says about a call} It may be on an interface that only a proxy has: that of a Spring
     * Data repository, whose target is the general implementation. The pointcut was evaluated for the class of that proxy.
     *
     * @param call of a method that was matched
     * @throws IllegalStateException if the annotation cannot be found
     */
    public final T required(MethodInvocation call) {
        Method method = call.getMethod();
        Object target = call.getThis();
        Class<?> type = target == null ? method.getDeclaringClass() : AopUtils.getTargetClass(target);
        T found = method.getDeclaringClass().isAssignableFrom(type) ? find(method, type) : null;
        if (found == null && target != null) {
            found = find(method, target.getClass());
        }
        if (found == null) {
            throw new IllegalStateException(
                    method + " was not called, because there is no @" + annotation.getSimpleName() + " for it on "
                            + type.getName() + ". Put the annotation on that class.");
        }
        return found;
    }

    /**
     * {@return all annotations of the nearest place that has any}
     *
     * @param method as it is called
     * @param targetClass the class of the object that it is called on
     */
    public final List<MergedAnnotation<A>> annotationsOf(Method method, Class<?> targetClass) {
        return annotationsOf(method, specific(method, userClass(method, targetClass)), targetClass);
    }

    private List<MergedAnnotation<A>> annotationsOf(Method method, Method specific, Class<?> targetClass) {
        if (specific.isSynthetic() && Modifier.isStatic(specific.getModifiers())) {
            // Kotlin puts the body of an open suspend function into a static method beside it, and copies the
            // annotations.
            return List.of();
        }
        Class<?> wholeClass = ClassUtils.getUserClass(targetClass); // of a proxy, each of its interfaces counts
        List<AnnotatedElement> places = new ArrayList<>(List.of(specific, method));
        places.add(ClassUtils.getMostSpecificMethod(method, wholeClass));
        if (Modifier.isPublic(specific.getModifiers())
                && !Modifier.isStatic(specific.getModifiers())
                && !ReflectionUtils.isObjectMethod(specific)
                && ClassUtils.isUserLevelMethod(specific)) {
            places.add(wholeClass);
        }
        return places.stream()
                .map(this::ofElement)
                .filter(each -> !each.isEmpty())
                .findFirst()
                .orElse(List.of());
    }

    /** Of a method and those that it overrides, or of a class and its super-types, the first that has any. */
    private List<MergedAnnotation<A>> ofElement(AnnotatedElement element) {
        List<MergedAnnotation<A>> all = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(
                        annotation)
                .toList();
        return all.stream()
                .filter(each -> each.getAggregateIndex() == all.get(0).getAggregateIndex())
                .toList();
    }

    /** A method that only a proxy has is named by its interface, because the name of the proxy changes with each start. */
    private static Class<?> userClass(Method method, Class<?> targetClass) {
        if (Proxy.isProxyClass(targetClass)) {
            for (Class<?> each : targetClass.getInterfaces()) {
                if (method.getDeclaringClass().isAssignableFrom(each)) {
                    return each;
                }
            }
        }
        return ClassUtils.getUserClass(targetClass);
    }

    /** The method that runs when the given one is called on the class; where parameter names can be found. */
    private static Method specific(Method method, Class<?> userClass) {
        Method specific = AopUtils.getMostSpecificMethod(method, userClass);
        Class<?> type = specific.getDeclaringClass();
        boolean generated = Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
        return generated ? ClassUtils.getInterfaceMethodIfPossible(specific, null) : specific;
    }

    /**
     * A class proxy has no private and static methods, and cannot override final ones and those of another package: they would
     * run on the proxy itself. For a final class Spring creates none, and reports that.
     */
    private void requireProxy(Method method, Class<?> userClass, boolean ofMethod) {
        int modifiers = method.getModifiers();
        boolean kotlin = KotlinDetector.isKotlinType(userClass);
        if (Modifier.isPrivate(modifiers)) {
            String visible = kotlin ? "the function internal" : "the method package-private";
            throw refuse(method, userClass, "the method is private", "Make " + visible + ", protected or public.");
        }
        if (Modifier.isStatic(modifiers)) {
            throw refuse(method, userClass, "the method is static", "Make the method an instance method of a bean.");
        }
        if (Modifier.isFinal(modifiers)) {
            String action = kotlin
                    ? "Write open class " + userClass.getSimpleName() + " and open fun " + KotlinNames.of(method)
                            + "; or apply the kotlin-spring compiler plugin, which opens classes with @Service,"
                            + " @Component and the like, and their members unless marked final."
                    : "Remove final.";
            throw refuse(method, userClass, "the method is final", action);
        }
        if ((modifiers & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0
                && !method.getDeclaringClass().getPackageName().equals(userClass.getPackageName())) {
            throw refuse(
                    method,
                    userClass,
                    "the method is package-private, in another package",
                    "Make the method protected or public.");
        }
        if (ofMethod && isCallback(method, userClass)) {
            throw refuse(
                    method,
                    userClass,
                    "Spring calls it on the bean itself, when it initializes or destroys the bean",
                    "Use a template inside the method, or an ApplicationRunner or a SmartLifecycle instead.");
        }
    }

    private static boolean isCallback(Method method, Class<?> userClass) {
        MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        return Stream.of("PostConstruct", "PreDestroy")
                        .anyMatch(it -> annotations.isPresent("jakarta.annotation." + it))
                || Stream.of(InitializingBean.class, DisposableBean.class)
                        .anyMatch(it -> it.isAssignableFrom(userClass)
                                && ClassUtils.hasMethod(it, method.getName(), method.getParameterTypes()));
    }

    private LockDefinitionException refuse(Method method, Class<?> userClass, String problem, String action) {
        return new LockDefinitionException(
                LockOperation.describe(annotation, method, userClass) + " cannot be proxied: " + problem + ".", action);
    }

    /** An ahead-of-time build continues: placeholders need not have their run-time values there. */
    @Override
    public final boolean matches(Method method, Class<?> targetClass) {
        try {
            return find(method, targetClass) != null;
        } catch (LockDefinitionException e) {
            if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
                return true;
            }
            throw e;
        }
    }

    /**
     * The results for all annotated methods that calls can reach through this class, each once, even if a call may refer to the
     * method of the class, to that of an interface, or to the bridge between both.
     *
     * @param type the class of a bean
     * @return the results; none if no method is annotated
     * @throws LockDefinitionException if one cannot work
     */
    public final List<T> allOf(Class<?> type) {
        if (!getClassFilter().matches(type)) {
            return List.of();
        }
        Map<Method, T> all = new LinkedHashMap<>();
        for (Method method : methodsOf(type)) {
            T found = matches(method, type) ? find(method, type) : null;
            if (found != null) {
                all.putIfAbsent(specific(method, userClass(method, type)), found);
            }
        }
        Class<?> userClass = ClassUtils.getUserClass(type);
        if (all.isEmpty()
                && MergedAnnotations.from(userClass, SearchStrategy.TYPE_HIERARCHY)
                        .isPresent(annotation)) {
            throw new LockDefinitionException(
                    "@" + annotation.getSimpleName() + " on " + userClass.getName()
                            + " has no effect: on a class it applies to public methods, and there are none.",
                    "Make the methods public, or annotate the methods themselves.");
        }
        return List.copyOf(all.values());
    }

    /**
     * {@return all methods of a class, those of its interfaces among them: through a proxy, either may be called} None if the
     * class refers to types that are missing: such a bean cannot be created either.
     *
     * @param type the class of a bean
     */
    public static Set<Method> methodsOf(Class<?> type) {
        Set<Method> methods = new LinkedHashSet<>();
        try {
            methods.addAll(List.of(ReflectionUtils.getAllDeclaredMethods(ClassUtils.getUserClass(type))));
            for (Class<?> each : ClassUtils.getAllInterfacesForClassAsSet(type)) {
                methods.addAll(List.of(ReflectionUtils.getAllDeclaredMethods(each)));
            }
        } catch (IllegalStateException notLoadable) {
            methods.clear();
        }
        return methods;
    }
}
