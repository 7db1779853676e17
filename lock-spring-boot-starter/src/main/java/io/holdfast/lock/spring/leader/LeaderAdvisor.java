package io.holdfast.lock.spring.leader;

import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.spring.aop.AnnotatedPointcut;
import io.holdfast.lock.spring.aop.ProxyRules;
import java.io.Serial;
import java.util.List;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/** Has methods with {@link LeaderOnly} run on the leader only. A method for which that cannot work causes startup to fail. */
public final class LeaderAdvisor extends AbstractPointcutAdvisor {

    @Serial
    private static final long serialVersionUID = 1L;

    private static final ProxyRules.Words WORDS = new ProxyRules.Words(
            LeaderOnly.class,
            "cannot be restricted to the leader",
            "A proxy of the bean checks whether this instance is the leader.",
            "run on every instance",
            "Leadership");

    private final transient ProxyRules rules;
    private final transient AnnotatedPointcut<GuardedMethod> pointcut;
    private final transient Advice advice;

    /**
     * Creates an instance.
     *
     * @param beans resolves placeholders, and knows how proxies are made
     * @param roles asked at the first call
     * @param order the place among other advisors; lower is further outside
     */
    public LeaderAdvisor(ConfigurableBeanFactory beans, Supplier<LeaderRoles> roles, int order) {
        GuardedMethods methods = new GuardedMethods(beans);
        this.rules = new ProxyRules(beans, WORDS);
        this.pointcut = new AnnotatedPointcut<>(methods, rules);
        this.advice = new LeaderInterceptor(methods, roles);
        setOrder(order);
    }

    @Override
    public AnnotatedPointcut<?> getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return advice;
    }

    /** The annotated methods that calls of this class can reach, each once. */
    List<GuardedMethod> guardedBy(Class<?> type) {
        return pointcut.allOf(type);
    }

    void warnOfUncovered(Class<?> type) {
        pointcut.warnOfUncovered(type);
    }

    void checkProxy(Object bean, List<GuardedMethod> found) {
        rules.checkProxy(bean, found.stream().map(GuardedMethod::method).toList());
    }
}
