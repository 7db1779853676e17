package io.holdfast.lock.spring.leader;

import java.io.Serial;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/** Has methods with {@link io.holdfast.lock.spring.annotation.LeaderOnly} run on the leader only. A method for which that cannot work causes startup to fail. */
public final class LeaderAdvisor extends AbstractPointcutAdvisor {

    @Serial
    private static final long serialVersionUID = 1L;

    private final transient GuardedMethods methods;
    private final transient Advice advice;

    /**
     * Creates an instance.
     *
     * @param beans resolves placeholders, and knows how proxies are made
     * @param roles asked at the first call
     * @param order the place among other advisors; lower is further outside
     */
    public LeaderAdvisor(ConfigurableBeanFactory beans, Supplier<LeaderRoles> roles, int order) {
        this.methods = new GuardedMethods(beans);
        this.advice = new LeaderInterceptor(methods, roles);
        setOrder(order);
    }

    @Override
    public Pointcut getPointcut() {
        return methods;
    }

    @Override
    public Advice getAdvice() {
        return advice;
    }

    GuardedMethods methods() {
        return methods;
    }
}
