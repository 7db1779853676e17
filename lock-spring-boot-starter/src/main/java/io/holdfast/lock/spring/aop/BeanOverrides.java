package io.holdfast.lock.spring.aop;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Knows what a test has put in the place of a bean, with {@code @MockitoBean}, {@code @TestBean} or another of Spring's
 * bean overrides: an instance that has no proxy, and is meant to have none.
 *
 * <p>Spring says of no instance that it is an override: the definition that it stands in for gets a mark
 * ({@code getQualifiedElement}) only if it is not that of a scanned class, and only for overrides in a field. So all
 * beans with a definition pass in a test that overrides any. What that test no longer finds, a bean that was created too
 * early, is found when the application starts, and by every other test.
 */
final class BeanOverrides {

    /** Where Spring keeps the overrides of a test; without any, a context has no such bean. */
    private static final String REGISTRY =
            "org.springframework.test.context.bean.override.internalBeanOverrideRegistry";

    private BeanOverrides() {}

    /** {@return whether the instance of this name may be an override; those always have a definition} */
    static boolean mayReplace(ConfigurableListableBeanFactory beans, String name) {
        return beans.containsSingleton(REGISTRY) && beans.containsBeanDefinition(name);
    }
}
