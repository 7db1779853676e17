package io.holdfast.lock.spring.aop;

import io.holdfast.lock.spring.definition.LockOperationSource;
import java.io.Serial;
import org.springframework.aop.support.DefaultBeanFactoryPointcutAdvisor;

/**
 * Makes Spring run methods with {@link io.holdfast.lock.spring.annotation.DistributedLock} under their lock. Needs a
 * proxy creator, which the starter's configuration registers.
 */
public final class LockAdvisor extends DefaultBeanFactoryPointcutAdvisor {

    /** The name of the bean that intercepts locked methods; it is created for the first proxy. */
    public static final String INTERCEPTOR = "holdfastLockInterceptor";

    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Creates an instance.
     *
     * @param operations finds the locked methods
     * @param order the position among other advisors; lower values are further out
     */
    public LockAdvisor(LockOperationSource operations, int order) {
        setPointcut(operations);
        setAdviceBeanName(INTERCEPTOR);
        setOrder(order);
    }
}
