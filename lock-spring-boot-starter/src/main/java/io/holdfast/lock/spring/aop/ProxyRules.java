package io.holdfast.lock.spring.aop;

import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import io.holdfast.lock.spring.definition.LockDefinition;
import java.lang.annotation.Annotation;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Which methods a proxy can lock, or guard in another way: not private or static ones, with a class proxy no final ones, and none that Spring calls
 * on the bean itself, at the beginning and end of its life.
 */
public final class ProxyRules {

    private static final List<String> CALLBACKS =
            List.of("jakarta.annotation.PostConstruct", "jakarta.annotation.PreDestroy");
    private static final String INTERFACE_HINT =
            " or set spring.aop.proxy-target-class=false and call the bean through its interface";
    private static final String NEW_INTERFACE_HINT =
            " or declare the method in an interface that the class implements, set"
                    + " spring.aop.proxy-target-class=false, and call the bean through that interface";

    private final BeanFactory beans;
    private final Words words;

    /**
     * What messages call what the proxy is to do.
     *
     * @param annotation asks for it
     * @param impossible a phrase: cannot be locked
     * @param proxies a sentence that says that a proxy does it
     * @param without a phrase that says what the method would do without the proxy
     * @param inside what to use inside the method instead
     */
    public record Words(
            Class<? extends Annotation> annotation, String impossible, String proxies, String without, String inside) {}

    /**
     * Creates an instance.
     *
     * @param beans knows how proxies are made
     * @param words for messages
     */
    public ProxyRules(BeanFactory beans, Words words) {
        this.beans = beans;
        this.words = words;
    }

    Class<? extends Annotation> annotation() {
        return words.annotation();
    }

    /**
     * Checks a method.
     *
     * @param method of the target class
     * @param targetClass the class of the bean
     * @throws LockDefinitionException if no proxy could do it
     */
    public void check(Method method, Class<?> targetClass) {
        Class<?> userClass = ClassUtils.getUserClass(targetClass);
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers)) {
            throw refuse(method, userClass, "the method is private", visibleHint(userClass));
        }
        if (Modifier.isStatic(modifiers)) {
            throw refuse(method, userClass, "the method is static", "Make the method an instance method of a bean.");
        }
        if (isHiddenFrom(userClass, method) && needsSubclass(userClass)) {
            throw refuse(
                    method,
                    userClass,
                    "the method is package-private and inherited from another package, so a proxy cannot override it",
                    "Make the method protected or public.");
        }
        boolean finalClass = Modifier.isFinal(userClass.getModifiers());
        if ((finalClass || Modifier.isFinal(modifiers)) && needsSubclass(userClass)) {
            String what = finalClass ? "the class is final" : "the method is final";
            throw refuse(method, userClass, what, finalHint(method, userClass, interfaceHint(method, userClass)));
        }
        if (isLifecycleCallback(method, userClass)) {
            throw refuse(
                    method,
                    userClass,
                    "Spring calls lifecycle methods on the bean itself, not on its proxy",
                    "Use " + words.inside()
                            + " inside the method, or move the work to an ApplicationRunner or a SmartLifecycle.");
        }
    }

    /** By the annotation of the method alone: one of the class means those methods that are called through the proxy. */
    private boolean isLifecycleCallback(Method method, Class<?> userClass) {
        MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        return annotations.isPresent(words.annotation())
                && (CALLBACKS.stream().anyMatch(annotations::isPresent)
                        || overrides(method, userClass, InitializingBean.class)
                        || overrides(method, userClass, DisposableBean.class));
    }

    private static boolean overrides(Method method, Class<?> userClass, Class<?> callback) {
        return callback.isAssignableFrom(userClass)
                && ClassUtils.hasMethod(callback, method.getName(), method.getParameterTypes());
    }

    /**
     * A bean may get a class proxy where others get one of its interfaces, as its definition says.
     *
     * @param bean as it is called
     * @param methods those of its class that were annotated
     * @throws LockDefinitionException if one of them would run on the proxy itself
     */
    public void checkProxy(Object bean, List<Method> methods) {
        for (Method each : methods) {
            if (AopUtils.isCglibProxy(bean) && Modifier.isFinal(each.getModifiers())) {
                Class<?> type = AopUtils.getTargetClass(bean);
                throw refuse(each, type, "the method is final", finalHint(each, type, ""));
            }
        }
    }

    LockDefinitionException refuseEarly(Method method, Class<?> userClass, String bean) {
        return new LockDefinitionException(
                LockDefinition.describe(words.annotation(), method, userClass) + " would " + words.without()
                        + ": bean '"
                        + bean + "' is part of a circular reference. Spring passes such a bean without its proxy to the"
                        + " BeanPostProcessors that register scheduled methods and message listeners.",
                "Add @Lazy to an injection point of the circle (in a bean that injects itself, to that field or parameter),"
                        + " or remove the circular reference.");
    }

    private static String visibleHint(Class<?> userClass) {
        return KotlinDetector.isKotlinType(userClass)
                ? "Make the function internal, protected or public."
                : "Make the method package-private, protected or public.";
    }

    private static String finalHint(Method method, Class<?> userClass, String interfaceHint) {
        boolean kotlin = KotlinDetector.isKotlinType(userClass);
        String open = kotlin
                ? openHint(method, userClass)
                : userClass.isRecord() ? "A record is always final: use a class instead" : "Remove final";
        return open + (interfaceHint.isEmpty() ? "" : (kotlin ? ";" : ",") + interfaceHint) + ".";
    }

    /** A proxy by interfaces has only the methods of interfaces. */
    private static String interfaceHint(Method method, Class<?> userClass) {
        Method declared = ClassUtils.getInterfaceMethodIfPossible(method, userClass);
        return declared.getDeclaringClass().isInterface() ? INTERFACE_HINT : NEW_INTERFACE_HINT;
    }

    private static String openHint(Method method, Class<?> userClass) {
        if (isObject(userClass)) {
            return "An object cannot be open: make " + userClass.getSimpleName() + " a class";
        }
        String function = "open fun " + KotlinNames.of(method);
        String open = Modifier.isFinal(userClass.getModifiers())
                ? "open class " + userClass.getSimpleName() + " and " + function
                : function + " without final";
        return "Write " + open
                + "; or apply the kotlin-spring compiler plugin, which opens classes with @Service, @Component"
                + " and the like, and their members unless marked final";
    }

    private static boolean isObject(Class<?> kotlin) {
        Field instance = ReflectionUtils.findField(kotlin, "INSTANCE");
        return instance != null && Modifier.isStatic(instance.getModifiers()) && instance.getType() == kotlin;
    }

    private static boolean isHiddenFrom(Class<?> userClass, Method method) {
        int visible = Modifier.PUBLIC | Modifier.PROTECTED;
        return (method.getModifiers() & visible) == 0
                && !method.getDeclaringClass().getPackageName().equals(userClass.getPackageName());
    }

    private LockDefinitionException refuse(Method method, Class<?> userClass, String what, String action) {
        return new LockDefinitionException(
                LockDefinition.describe(words.annotation(), method, userClass) + " " + words.impossible() + ": " + what
                        + ".",
                words.proxies() + " " + action);
    }

    private boolean needsSubclass(Class<?> userClass) {
        if (userClass.isInterface() || Proxy.isProxyClass(userClass) || ClassUtils.isLambdaClass(userClass)) {
            return false;
        }
        return !hasInterfaceToProxy(userClass) || (classProxiesWanted() && !isProxiedByInterfaces(userClass));
    }

    /** {@code @Proxyable} says so, of the class or of its {@code @Bean} method. */
    private boolean isProxiedByInterfaces(Class<?> userClass) {
        return beans instanceof ConfigurableListableBeanFactory all
                && Arrays.stream(all.getBeanDefinitionNames())
                        .filter(name -> all.getMergedBeanDefinition(name)
                                .hasAttribute(AutoProxyUtils.EXPOSED_INTERFACES_ATTRIBUTE))
                        .anyMatch(name -> userClass.equals(BeanTypes.of(all, name)));
    }

    private boolean classProxiesWanted() {
        String creator = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
        return beans.containsBean(creator)
                && beans.getBean(creator) instanceof ProxyConfig config
                && config.isProxyTargetClass();
    }

    /** As Spring decides it: an interface with methods that is more than a callback of the container. */
    private static boolean hasInterfaceToProxy(Class<?> userClass) {
        for (Class<?> each : ClassUtils.getAllInterfacesForClass(userClass)) {
            if (each.getMethods().length > 0 && !isCallback(each)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isCallback(Class<?> type) {
        return type == InitializingBean.class
                || type == DisposableBean.class
                || type == AutoCloseable.class
                || type == java.io.Closeable.class
                || Aware.class.isAssignableFrom(type);
    }
}
