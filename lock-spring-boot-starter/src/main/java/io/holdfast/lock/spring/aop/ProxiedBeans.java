package io.holdfast.lock.spring.aop;

import io.holdfast.lock.spring.annotation.LockDefinitionException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** All beans of an application, and whether their proxies do what an annotation asks for. */
public final class ProxiedBeans {

    /**
     * Where Spring keeps what a test has put in place of beans, with {@code @MockitoBean}, {@code @TestBean} or another
     * of its bean overrides: instances that have no proxy, and are meant to have none. Without any, a context has no
     * such bean.
     *
     * <p>Spring does not reveal whether an instance is an override: the definition that it stands in for gets a mark ({@code
     * getQualifiedElement}) only if it is not that of a scanned class, and only for overrides in a field. So all beans with a
     * definition pass in a test that overrides any. What that test no longer finds, a bean that was created too early, is found
     * when the application starts, and by every other test.
     */
    private static final String OVERRIDES =
            "org.springframework.test.context.bean.override.internalBeanOverrideRegistry";

    private ProxiedBeans() {}

    /** What is done with each bean. */
    @FunctionalInterface
    public interface Visitor {

        /**
         * Looks at a bean.
         *
         * @param name its name
         * @param type its class, the one behind its proxy
         * @param instance the bean itself; null if it does not exist yet, or is made by a factory
         */
        void visit(String name, Class<?> type, @Nullable Object instance);
    }

    /**
     * Visits all beans, including those without a definition, except those whose class cannot be determined. Creates none.
     *
     * @param beans where they are
     * @param visitor looks at each
     */
    public static void visit(ConfigurableListableBeanFactory beans, Visitor visitor) {
        Set<String> names = new LinkedHashSet<>(List.of(beans.getBeanDefinitionNames()));
        names.addAll(List.of(beans.getSingletonNames()));
        for (String name : names) {
            Object instance = beans.containsSingleton(name) ? beans.getSingleton(name) : null;
            if (instance == null || instance instanceof FactoryBean<?>) {
                Class<?> type = typeOf(beans, name);
                if (type != null) {
                    visitor.visit(name, type, null);
                }
            } else {
                visitor.visit(name, AopProxyUtils.ultimateTargetClass(instance), instance);
            }
        }
    }

    /**
     * {@return the class of a bean, the one behind its proxy where Spring knows it; null if it is unknown, or if the
     * definition is a template for others} Creates no bean for that.
     *
     * @param beans where it is defined
     * @param name of the bean
     */
    public static @Nullable Class<?> typeOf(ConfigurableListableBeanFactory beans, String name) {
        try {
            if (beans.containsBeanDefinition(name)) {
                BeanDefinition definition = beans.getMergedBeanDefinition(name);
                if (definition.isAbstract()) {
                    return null;
                }
                if (definition.getAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE)
                        instanceof Class<?> target) {
                    return target;
                }
            }
            return beans.getType(name, false);
        } catch (BeansException | IllegalStateException | LinkageError notResolvable) {
            return null;
        }
    }

    /**
     * Refuses a bean that has no proxy with the advisor, unless it is a test double that replaces it.
     *
     * @param beans where it is
     * @param name of the bean
     * @param instance the bean
     * @param advisor its type
     * @param problem what would be wrong without it
     * @param instead what can be done without a proxy
     * @throws LockDefinitionException if there is none
     */
    public static void requireAdvisor(
            ConfigurableListableBeanFactory beans,
            String name,
            Object instance,
            Class<? extends Advisor> advisor,
            String problem,
            String instead) {
        boolean mayBeOverride = beans.containsSingleton(OVERRIDES) && beans.containsBeanDefinition(name);
        if (!mayBeOverride && !hasAdvisor(instance, advisor)) {
            throw new LockDefinitionException(
                    problem + ": bean '" + name + "' has no proxy with the " + advisor.getSimpleName()
                            + ". It was created too early (a BeanPostProcessor depends on it), or registered as an"
                            + " existing instance.",
                    "Let Spring create the bean after the post-processors, or " + instead);
        }
    }

    private static boolean hasAdvisor(@Nullable Object instance, Class<? extends Advisor> advisor) {
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
