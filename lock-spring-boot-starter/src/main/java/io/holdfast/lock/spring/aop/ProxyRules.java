package io.holdfast.lock.spring.aop;

import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.definition.LockDefinition;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.util.ClassUtils;

/** Which methods a proxy can lock: not private or static ones, and with a class proxy no final ones. */
final class ProxyRules {

    private static final String PROXIES_HINT = "Locks work through a proxy of the bean.";

    private final BeanFactory beans;

    ProxyRules(BeanFactory beans) {
        this.beans = beans;
    }

    /**
     * @throws LockDefinitionException if no proxy could lock the method
     */
    void check(Method method, Class<?> targetClass) {
        Class<?> userClass = ClassUtils.getUserClass(targetClass);
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers)) {
            throw refuse(method, userClass, "the method is private", "Make it at least package-private.");
        }
        if (Modifier.isStatic(modifiers)) {
            throw refuse(method, userClass, "the method is static", "Make it an instance method of a bean.");
        }
        if (isHiddenFrom(userClass, method) && needsSubclass(userClass)) {
            throw refuse(
                    method,
                    userClass,
                    "the method is package-private and inherited from another package, where no proxy overrides it",
                    "Make it protected or public.");
        }
        boolean finalClass = Modifier.isFinal(userClass.getModifiers());
        if ((finalClass || Modifier.isFinal(modifiers)) && needsSubclass(userClass)) {
            String what = finalClass ? "the class is final" : "the method is final";
            throw refuse(
                    method,
                    userClass,
                    what,
                    "Remove final, or set spring.aop.proxy-target-class=false and call the bean through an interface.");
        }
    }

    private static boolean isHiddenFrom(Class<?> userClass, Method method) {
        int visible = Modifier.PUBLIC | Modifier.PROTECTED;
        return (method.getModifiers() & visible) == 0
                && !method.getDeclaringClass().getPackageName().equals(userClass.getPackageName());
    }

    private static LockDefinitionException refuse(Method method, Class<?> userClass, String what, String action) {
        return new LockDefinitionException(
                LockDefinition.describe(method, userClass) + " cannot be locked: " + what + ".",
                PROXIES_HINT + " " + action);
    }

    private boolean needsSubclass(Class<?> userClass) {
        if (userClass.isInterface() || Proxy.isProxyClass(userClass) || ClassUtils.isLambdaClass(userClass)) {
            return false;
        }
        return classProxiesWanted() || !hasInterfaceToProxy(userClass);
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
