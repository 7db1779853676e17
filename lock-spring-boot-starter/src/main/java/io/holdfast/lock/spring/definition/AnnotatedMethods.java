package io.holdfast.lock.spring.definition;

import io.holdfast.lock.spring.LockConfigurationException;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.framework.autoproxy.ProxyCreationContext;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotationPredicates;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringValueResolver;

/**
 * Finds an annotation: on the method, on the methods it overrides or implements, on the class, on its supertypes; in each place
 * also as a meta-annotation. The method takes precedence over the class. The annotation is read once for each method and target
 * class.
 *
 * <p>An invalid annotation causes an error as soon as Spring checks whether the method needs a proxy, so a bean with one is never
 * created.
 *
 * @param <A> the annotation
 * @param <T> what is read from it
 */
public abstract class AnnotatedMethods<A extends Annotation, T> extends StaticMethodMatcherPointcut {

    private static final String PLACEHOLDER = "${";
    /** On the annotations of listeners: of JMS, AMQP, Kafka, Pulsar and SQS. */
    private static final String MESSAGES = "org.springframework.messaging.handler.annotation.MessageMapping";

    private final Class<A> annotation;
    private final ConfigurableBeanFactory beans;
    private final Map<Class<?>, Boolean> types = new ConcurrentHashMap<>();
    private final Map<MethodClassKey, T> known = new ConcurrentHashMap<>();

    /**
     * Creates an instance.
     *
     * @param annotation the annotation to find
     * @param beans resolves placeholders and expressions in its text
     */
    protected AnnotatedMethods(Class<A> annotation, ConfigurableBeanFactory beans) {
        this.annotation = annotation;
        this.beans = beans;
        setClassFilter(this::isAnnotated);
    }

    /**
     * Whether a class, or one of its supertypes, has the annotation or a method with it. Examines each class and interface once:
     * finding the annotation of a method requires a search of all supertypes, beans have many methods, and most beans have no
     * lock at all.
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

    /**
     * A class may refer to types of an optional library that is missing: Spring cannot create such a bean either. Most methods
     * have no annotation at all; they are not searched, because that takes time at startup.
     */
    private boolean hasAnnotation(Class<?> type) {
        try {
            return Stream.concat(Stream.of(type), Stream.of(ReflectionUtils.getDeclaredMethods(type)))
                    .filter(place -> place.getDeclaredAnnotations().length > 0)
                    .anyMatch(place -> MergedAnnotations.from(place).isPresent(annotation));
        } catch (IllegalStateException notLoadable) {
            return false;
        }
    }

    /**
     * {@return the text with its placeholders resolved; empty if they resolve to an empty text}
     *
     * @param attribute the attribute that contains the text
     * @param text may have placeholders
     * @param where the annotated element
     * @throws LockConfigurationException if a property is not set
     */
    protected final String resolve(String attribute, String text, String where) {
        return resolve(attribute, text, where, beans::resolveEmbeddedValue);
    }

    /**
     * {@return the text with its placeholders and expressions resolved, as {@code @Scheduled} does} An ahead-of-time build does not
     * create the beans that expressions refer to.
     *
     * @param attribute the attribute that contains the text
     * @param text may have placeholders and expressions
     * @param where the annotated element
     * @throws LockConfigurationException if a property is not set, or an expression cannot be evaluated
     */
    public final String evaluate(String attribute, String text, String where) {
        return Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)
                ? resolve(attribute, text, where)
                : resolve(attribute, text, where, new EmbeddedValueResolver(beans));
    }

    private static String resolve(String attribute, String text, String where, StringValueResolver resolver) {
        Exception cause = null;
        try {
            String value = text.contains("{") ? resolver.resolveStringValue(text) : text;
            if (value == null || !value.contains(PLACEHOLDER)) {
                return Objects.requireNonNullElse(value, "");
            }
        } catch (IllegalArgumentException | BeansException e) {
            cause = e;
        }
        String reason = "a property in it is not set";
        String action = "Set the property, add a default (${name:value}), or correct the expression.";
        if (cause instanceof BeansException failure) {
            Throwable root = failure.getMostSpecificCause();
            reason = "a bean or property in it cannot be read: " + root.getMessage();
            action = root instanceof NoSuchBeanDefinitionException
                    ? "Define the bean, or correct its name."
                    : "Correct the expression, or the bean that it uses.";
        }
        throw new LockConfigurationException(
                where + " has " + attribute + " = \"" + text + "\", but " + reason + ".", action, cause);
    }

    /**
     * {@return what is read from the annotations; null if they do not apply to the method}
     *
     * @param method the method that runs when the annotated one is called
     * @param userClass the class of the bean; for a proxy, the interface that has the method
     * @param found the annotations in the nearest place, at least one
     * @throws LockConfigurationException if they cannot work
     */
    protected abstract @Nullable T read(Method method, Class<?> userClass, List<MergedAnnotation<A>> found);

    /**
     * {@return what is read from the annotations, or null if the method has none}
     *
     * @param method the method that is called
     * @param targetClass the class of the object that it is called on
     * @throws LockConfigurationException if the annotation cannot work
     */
    public final @Nullable T find(Method method, Class<?> targetClass) {
        MethodClassKey id = new MethodClassKey(method, targetClass);
        T found = known.get(id);
        if (found == null) {
            Class<?> userClass = userClass(method, targetClass);
            Method specific = specific(method, userClass);
            List<MergedAnnotation<A>> annotations = annotationsOf(method, targetClass);
            found = annotations.isEmpty() ? null : read(specific, userClass, annotations);
            if (found != null) {
                requireProxy(specific, userClass, annotations.get(0).getSource() instanceof Method);
                known.put(id, found);
            }
        }
        return found;
    }

    /**
     * {@return what is read from the annotations for a call} They may be on an interface that only a proxy has: that of a Spring
     * Data repository, whose target is the generic implementation. The pointcut was evaluated for the class of that proxy.
     *
     * @param call a call of a matched method
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
     * @param method the method that is called
     * @param targetClass the class of the object that it is called on
     */
    public final List<MergedAnnotation<A>> annotationsOf(Method method, Class<?> targetClass) {
        Method specific = specific(method, userClass(method, targetClass));
        if (specific.isSynthetic() && Modifier.isStatic(specific.getModifiers())) {
            // Kotlin puts the body of an open suspend function into a static method next to it, and copies the
            // annotations.
            return List.of();
        }
        Class<?> wholeClass = ClassUtils.getUserClass(targetClass); // for a proxy, each of its interfaces counts
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

    /** The annotations of the first element that has any: of a method and those that it overrides, or of a class and its supertypes. */
    private List<MergedAnnotation<A>> ofElement(AnnotatedElement element) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(annotation)
                .filter(MergedAnnotationPredicates.firstRunOf(MergedAnnotation::getAggregateIndex))
                .toList();
    }

    /** A method that only a proxy has is described by its interface, because the name of the proxy class differs in each run. */
    private static Class<?> userClass(Method method, Class<?> targetClass) {
        return Stream.of(targetClass.getInterfaces())
                .filter(each -> Proxy.isProxyClass(targetClass)
                        && method.getDeclaringClass().isAssignableFrom(each))
                .findFirst()
                .orElseGet(() -> ClassUtils.getUserClass(targetClass));
    }

    /** The method that runs when the given one is called on the class; it is the one whose parameter names are available. */
    private static Method specific(Method method, Class<?> userClass) {
        Method specific = AopUtils.getMostSpecificMethod(method, userClass);
        Class<?> type = specific.getDeclaringClass();
        boolean generated = Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
        return generated ? ClassUtils.getInterfaceMethodIfPossible(specific, null) : specific;
    }

    /**
     * A class proxy has no private or static methods, and cannot override final methods or package-private ones of another
     * package: they would run on the proxy itself. A final class has no class proxy, and a proxy of its interfaces has no other
     * methods.
     */
    private void requireProxy(Method method, Class<?> userClass, boolean ofMethod) {
        int modifiers = method.getModifiers();
        boolean kotlin = KotlinDetector.isKotlinType(userClass);
        String where = LockOperation.describe(annotation, method, userClass);
        Set<Class<?>> interfaces = ClassUtils.getAllInterfacesForClassAsSet(userClass);
        if (Modifier.isPrivate(modifiers)) {
            String visible = kotlin ? "the function internal" : "the method package-private";
            throw refuse(where, "the method is private", "Make " + visible + ", protected or public.");
        }
        if (Modifier.isStatic(modifiers)) {
            throw refuse(where, "the method is static", "Make the method an instance method of a bean.");
        }
        if (Modifier.isFinal(modifiers)) {
            throw refuse(where, "the method is final", kotlin ? opened(method, userClass) : "Remove final.");
        }
        if (Modifier.isFinal(userClass.getModifiers())
                && ((interfaces.stream().noneMatch(it -> ClassUtils.hasAtLeastOneMethodWithName(it, method.getName()))
                                && (ofMethod || interfaces.isEmpty()))
                        || needsClassProxy(userClass))) {
            throw refuse(
                    where,
                    "the class is final",
                    kotlin ? opened(method, userClass) : "Remove final; a record is always final, use a class.");
        }
        if ((modifiers & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0
                && !method.getDeclaringClass().getPackageName().equals(userClass.getPackageName())) {
            throw refuse(
                    where,
                    "the method is package-private and in another package",
                    "Make the method protected or public.");
        }
        if (ofMethod && isCallback(method, userClass)) {
            throw refuse(
                    where,
                    "Spring calls it on the bean itself, when it initializes or destroys the bean",
                    "Use a template inside the method, or an ApplicationRunner or a SmartLifecycle instead.");
        }
    }

    private static String opened(Method method, Class<?> userClass) {
        return "Write open class " + userClass.getSimpleName() + " and open fun " + KotlinNames.of(method)
                + "; or apply the kotlin-spring compiler plugin, which opens classes with @Service, @Component and the"
                + " like, and their members unless marked final.";
    }

    /** Whether the bean that Spring is about to proxy gets a class proxy, although its class has interfaces. */
    private boolean needsClassProxy(Class<?> userClass) {
        String bean = ProxyCreationContext.getCurrentProxiedBeanName();
        return bean != null
                && beans.containsLocalBean(bean) // no inner bean
                && !ClassUtils.isLambdaClass(userClass)
                && beans.getMergedBeanDefinition(bean).getAttribute(AutoProxyUtils.EXPOSED_INTERFACES_ATTRIBUTE) == null
                && beans.containsBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME)
                && beans.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME, ProxyConfig.class)
                        .isProxyTargetClass();
    }

    private static boolean isCallback(Method method, Class<?> userClass) {
        return Stream.of("PostConstruct", "PreDestroy")
                        .anyMatch(it -> annotationsOf(method).isPresent("jakarta.annotation." + it))
                || Stream.of(InitializingBean.class, DisposableBean.class)
                        .anyMatch(it -> it.isAssignableFrom(userClass)
                                && ClassUtils.hasMethod(it, method.getName(), method.getParameterTypes()));
    }

    /**
     * Rejects a bean whose annotated methods Spring would call on the bean itself. Post-processors get a bean in a circular
     * reference without its proxy, and those of scheduled methods and message listeners keep what they get.
     *
     * @param type the class of a bean that is referenced before it is initialized
     * @throws LockConfigurationException if an annotated method is scheduled, or a message listener
     */
    public final void requireInitialized(Class<?> type) {
        for (Method method : methodsOf(type)) {
            if ((isScheduled(method) || annotationsOf(method).get(MESSAGES).getDistance() > 0)
                    && matches(method, type)) {
                throw refuse(
                        LockOperation.describe(annotation, method, ClassUtils.getUserClass(type)),
                        "in a circular reference, Spring calls it on the bean itself",
                        "Remove the circular reference, or inject one of its beans with @Lazy.");
            }
        }
    }

    /**
     * {@return whether a method is scheduled}
     *
     * @param method an annotated method
     */
    public static boolean isScheduled(Method method) {
        return annotationsOf(method).isPresent(Scheduled.class);
    }

    private static MergedAnnotations annotationsOf(Method method) {
        return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
    }

    private static LockConfigurationException refuse(String where, String problem, String action) {
        return new LockConfigurationException(where + " cannot be proxied: " + problem + ".", action);
    }

    /** An ahead-of-time build continues: placeholders need not have their run-time values at build time. */
    @Override
    public final boolean matches(Method method, Class<?> targetClass) {
        try {
            return find(method, targetClass) != null;
        } catch (LockConfigurationException e) {
            if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
                return true;
            }
            throw e;
        }
    }

    /**
     * The results for all annotated methods that calls can reach through this class, each once, although a call may refer to the
     * method of the class, to that of an interface, or to the bridge method between them.
     *
     * @param type the class of a bean
     * @return the results; none if no method is annotated
     * @throws LockConfigurationException if one of the annotations cannot work
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
            throw new LockConfigurationException(
                    "@" + annotation.getSimpleName() + " on " + userClass.getName()
                            + " has no effect: on a class it applies to public methods, and there are none.",
                    "Make the methods public, or annotate the methods themselves.");
        }
        return List.copyOf(all.values());
    }

    /**
     * {@return all methods of a class, including those of its interfaces: through a proxy, either may be called} Empty if the
     * class refers to types that are missing: such a bean cannot be created either.
     *
     * @param type the class of a bean
     */
    public static Set<Method> methodsOf(Class<?> type) {
        Set<Class<?>> declaring = new LinkedHashSet<>(Set.of(ClassUtils.getUserClass(type)));
        declaring.addAll(ClassUtils.getAllInterfacesForClassAsSet(type));
        try {
            return declaring.stream()
                    .flatMap(each -> Stream.of(ReflectionUtils.getAllDeclaredMethods(each)))
                    .collect(Collectors.toCollection(LinkedHashSet::new));
        } catch (IllegalStateException notLoadable) {
            return Set.of();
        }
    }
}
