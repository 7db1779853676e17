package io.holdfast.lock.spring.aop;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** All beans of an application, and whether their proxies do what an annotation asks for. */
public final class ProxiedBeans {

    private ProxiedBeans() {}

    /**
     * {@return the names of all beans, those without a definition among them}
     *
     * @param beans where they are
     */
    public static Set<String> names(ConfigurableListableBeanFactory beans) {
        Set<String> names = new LinkedHashSet<>(List.of(beans.getBeanDefinitionNames()));
        names.addAll(List.of(beans.getSingletonNames()));
        return names;
    }

    /**
     * {@return whether a bean has a proxy with the advisor, or is a double that a test has put in its place}
     *
     * @param beans where it is
     * @param name of the bean
     * @param instance the bean
     * @param advisor its type
     */
    public static boolean haveAdvisor(
            ConfigurableListableBeanFactory beans, String name, Object instance, Class<? extends Advisor> advisor) {
        return hasAdvisor(instance, advisor) || BeanOverrides.mayReplace(beans, name);
    }

    static boolean hasAdvisor(@Nullable Object instance, Class<? extends Advisor> advisor) {
        if (!(instance instanceof Advised proxy)) {
            return AopUtils.isAopProxy(instance); // opaque: its advisors cannot be seen
        }
        for (Advisor each : proxy.getAdvisors()) {
            if (advisor.isInstance(each)) {
                return true;
            }
        }
        return hasAdvisor(AopProxyUtils.getSingletonTarget(proxy), advisor);
    }
}
