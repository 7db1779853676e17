package io.holdfast.lock.spring.aop;

import org.aopalliance.aop.Advice;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Has the arguments of locked methods validated before their lock is asked for, where the application validates arguments of
 * methods. Spring puts that last; then a call with invalid arguments would wait for the lock, and hold it, for nothing.
 *
 * <p>In no order, so it comes after what makes the proxies. It looks at proxies with the lock advisor only, and changes
 * nothing but the place of that one advisor.
 */
public final class ValidationOrder implements BeanPostProcessor {

    /** By name, since an application need not have bean validation. */
    private static final String VALIDATION =
            "org.springframework.validation.beanvalidation.MethodValidationInterceptor";

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof Advised proxy && !proxy.isFrozen()) {
            Advisor[] advisors = proxy.getAdvisors();
            int lock = indexOfLock(advisors);
            for (int at = lock + 1; lock >= 0 && at < advisors.length; at++) {
                if (isValidation(advisors[at].getAdvice())) {
                    proxy.removeAdvisor(at);
                    proxy.addAdvisor(lock, advisors[at]);
                    lock++;
                }
            }
        }
        return bean;
    }

    private static int indexOfLock(Advisor[] advisors) {
        for (int i = 0; i < advisors.length; i++) {
            if (advisors[i] instanceof LockAdvisor) {
                return i;
            }
        }
        return -1;
    }

    private static boolean isValidation(Advice advice) {
        for (Class<?> each = advice.getClass(); each != null; each = each.getSuperclass()) {
            if (each.getName().equals(VALIDATION)) {
                return true;
            }
        }
        return false;
    }
}
