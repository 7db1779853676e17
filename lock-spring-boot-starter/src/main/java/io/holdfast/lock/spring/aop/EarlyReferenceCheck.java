package io.holdfast.lock.spring.aop;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.core.Ordered;

/**
 * Fails the creation of a bean with annotated methods that is part of a circular reference. Spring makes its proxy early then, for
 * the bean that needs it, and passes the instance itself to all further post-processors. Those that register scheduled methods or message
 * listeners would call the instance, without the proxy; which of them do cannot be known. {@link LockStartupCheck} only sees the
 * proxy, which is what the container has in the end.
 *
 * <p>Comes right after the proxy creator, which has the highest precedence of those that are ordered: so before others see the
 * bean.
 */
public final class EarlyReferenceCheck implements SmartInstantiationAwareBeanPostProcessor, Ordered {

    private final Supplier<Stream<AnnotatedPointcut<?>>> pointcuts;
    private final Set<String> early = ConcurrentHashMap.newKeySet();

    /**
     * Creates an instance.
     *
     * @param pointcuts find annotated methods; asked for only if there is a circular reference
     */
    public EarlyReferenceCheck(Supplier<Stream<AnnotatedPointcut<?>>> pointcuts) {
        this.pointcuts = pointcuts;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE + 1;
    }

    @Override
    public Object getEarlyBeanReference(Object bean, String name) {
        early.add(keyOf(bean, name));
        return bean;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (early.remove(keyOf(bean, name))) {
            pointcuts.get().forEach(each -> each.refuseEarly(name, bean.getClass()));
        }
        return bean;
    }

    /** A factory and its product have the same name; the product gets its proxy afterwards. */
    private static String keyOf(Object bean, String name) {
        return bean instanceof FactoryBean ? BeanFactory.FACTORY_BEAN_PREFIX + name : name;
    }
}
