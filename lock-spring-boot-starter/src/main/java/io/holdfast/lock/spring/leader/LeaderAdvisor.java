package io.holdfast.lock.spring.leader;

import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.spring.aop.LockStartupCheck;
import io.holdfast.lock.spring.aop.ProxiedBean;
import io.holdfast.lock.spring.definition.AnnotatedMethods;
import java.io.Serial;
import java.util.List;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * Runs methods with {@link LeaderOnly} if this instance leads. At startup, it declares the roles of all these methods, and fails startup
 * if one of them would run on every instance because its bean has no proxy. Creates no bean to do so.
 */
public final class LeaderAdvisor extends AbstractPointcutAdvisor implements MethodInterceptor, ProxiedBean.Check {

    @Serial
    private static final long serialVersionUID = 1L;

    private final transient ConfigurableListableBeanFactory beans;
    private final transient GuardedMethods methods;
    /** Remembered, so that a late call does not create it again after the context was closed. */
    private final transient SingletonSupplier<LeaderRoles> roles;

    /**
     * Creates an instance.
     *
     * @param beans resolves placeholders, and contains the beans to check and the {@code LeaderRoles} that receive the roles
     * @param order the position among other advisors; lower values are further out
     */
    public LeaderAdvisor(ConfigurableListableBeanFactory beans, int order) {
        this.beans = beans;
        this.methods = new GuardedMethods(beans);
        this.roles = SingletonSupplier.of(() -> beans.getBean(LeaderRoles.class));
        setOrder(order);
    }

    @Override
    public AnnotatedMethods<LeaderOnly, ?> getPointcut() {
        return methods;
    }

    @Override
    public Advice getAdvice() {
        return this;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        GuardedMethods.Guarded guarded = methods.required(invocation);
        Leadership role = roles.obtain().of(guarded.role());
        return role.isLeader() ? invocation.proceed() : guarded.skipped();
    }

    @Override
    public void check(ProxiedBean bean) {
        List<GuardedMethods.Guarded> found = methods.allOf(bean.type());
        for (GuardedMethods.Guarded each : found) {
            LockStartupCheck.requireTemplate(beans, each.where() + " has no lock for the leader election");
            roles.obtain().declare(each.role());
        }
        if (!found.isEmpty()) {
            bean.requireAdvisor(
                    beans,
                    LeaderAdvisor.class,
                    found.get(0).where() + " would run on every instance",
                    "check Leadership.isLeader() inside the method.");
        }
    }
}
