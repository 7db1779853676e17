package io.holdfast.lock.spring.aop;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** The classes of beans, found without creating one, nor what would create them. */
public final class BeanTypes {

    private BeanTypes() {}

    /**
     * {@return the class of a bean, the one behind its proxy where Spring knows it; null if it cannot be told, or if the
     * definition is a template for others}
     *
     * @param beans where it is defined
     * @param name of the bean
     */
    public static @Nullable Class<?> of(ConfigurableListableBeanFactory beans, String name) {
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
}
