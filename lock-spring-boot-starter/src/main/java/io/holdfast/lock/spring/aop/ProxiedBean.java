package io.holdfast.lock.spring.aop;

import io.holdfast.lock.spring.LockConfigurationException;
import java.util.stream.Stream;
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

/**
 * A bean of an application. If methods of it are annotated, its proxy must have the advisor that the annotation needs.
 *
 * @param name its name
 * @param type its class, behind any proxy
 * @param instance the bean itself; null if it does not exist yet, or is created by a factory
 */
public record ProxiedBean(
        String name, Class<?> type, @Nullable Object instance) {

    /**
     * The bean in which Spring keeps what a test has put in place of other beans, with {@code @MockitoBean}, {@code @TestBean} or
     * another of its bean overrides: instances that have no proxy, and are not meant to have one. A context without overrides has
     * no such bean.
     *
     * <p>Spring does not reveal whether an instance is an override: the definition that it replaces is marked ({@code
     * getQualifiedElement}) only if it is not that of a scanned class, and only for overrides that are declared in a field. So in
     * a test with overrides, all beans with a definition pass. A bean that was created too early is not detected there, but it is
     * when the application starts, and in every other test.
     */
    private static final String OVERRIDES =
            "org.springframework.test.context.bean.override.internalBeanOverrideRegistry";

    /** Checks beans after the singletons have been created. {@link LockStartupCheck} calls it for each of them. */
    @FunctionalInterface
    public interface Check {

        /**
         * Checks one bean.
         *
         * @param bean the bean
         * @throws LockConfigurationException if it must not run as it is
         */
        void check(ProxiedBean bean);
    }

    /**
     * {@return all beans, including those without a definition, except those whose class cannot be determined} Creates none.
     *
     * @param beans contains the beans
     */
    public static Stream<ProxiedBean> all(ConfigurableListableBeanFactory beans) {
        return Stream.concat(Stream.of(beans.getBeanDefinitionNames()), Stream.of(beans.getSingletonNames()))
                .distinct()
                .flatMap(name -> of(beans, name));
    }

    private static Stream<ProxiedBean> of(ConfigurableListableBeanFactory beans, String name) {
        Object singleton = beans.containsSingleton(name) ? beans.getSingleton(name) : null;
        Object instance = singleton instanceof FactoryBean<?> ? null : singleton;
        Class<?> type = instance == null ? typeOf(beans, name) : AopProxyUtils.ultimateTargetClass(instance);
        return type == null ? Stream.empty() : Stream.of(new ProxiedBean(name, type, instance));
    }

    /**
     * {@return the class of a bean, behind its proxy if Spring knows that class; null if it is unknown, or if the definition is a
     * template for others} Creates no bean.
     *
     * @param beans contains the bean
     * @param name the name of the bean
     */
    private static @Nullable Class<?> typeOf(ConfigurableListableBeanFactory beans, String name) {
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
     * Rejects the bean if it exists and has no proxy with the advisor, unless it may be a test double.
     *
     * @param beans contains the bean
     * @param advisor the type of the advisor
     * @param problem what would be wrong without it
     * @param instead what can be done without a proxy
     * @throws LockConfigurationException if the bean has no such proxy
     */
    public void requireAdvisor(
            ConfigurableListableBeanFactory beans, Class<? extends Advisor> advisor, String problem, String instead) {
        boolean mayBeOverride = beans.containsSingleton(OVERRIDES) && beans.containsBeanDefinition(name);
        if (instance != null && !mayBeOverride && !hasAdvisor(instance, advisor)) {
            throw new LockConfigurationException(
                    problem + ": bean '" + name + "' has no proxy with the " + advisor.getSimpleName()
                            + ". It was created too early (a BeanPostProcessor depends on it), or registered as an"
                            + " existing instance.",
                    "Let Spring create the bean after the post-processors, or " + instead);
        }
    }

    /** {@return the advisors of a bean's proxies, outermost first} */
    static Stream<Advisor> advisorsOf(@Nullable Object instance) {
        return instance instanceof Advised proxy
                ? Stream.concat(Stream.of(proxy.getAdvisors()), advisorsOf(AopProxyUtils.getSingletonTarget(proxy)))
                : Stream.empty();
    }

    private static boolean hasAdvisor(@Nullable Object instance, Class<? extends Advisor> advisor) {
        return instance instanceof Advised proxy
                ? Stream.of(proxy.getAdvisors()).anyMatch(advisor::isInstance)
                        || hasAdvisor(AopProxyUtils.getSingletonTarget(proxy), advisor)
                : AopUtils.isAopProxy(instance); // opaque: its advisors cannot be seen
    }
}
