package io.holdfast.lock.spring.leader;

import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.aop.LockAdvisor;
import io.holdfast.lock.spring.aop.ProxiedBeans;
import io.holdfast.lock.spring.definition.LockDefinition;
import java.util.List;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Looks at all beans when the application has been put together: declares the roles of their methods, and ends the start if one of
 * these would run on every instance, since its bean has no proxy. Also for child contexts that do not look after themselves.
 * Creates no bean.
 */
public final class LeaderStartupCheck
        implements SmartInitializingSingleton, ApplicationListener<ContextRefreshedEvent> {

    private final ApplicationContext own;
    private final ConfigurableListableBeanFactory beans;
    private final LeaderAdvisor advisor;
    private final LockAdvisor locks;
    private final LeaderRoles roles;

    /**
     * Creates an instance.
     *
     * @param own the context, whose children are looked at
     * @param beans all of them are looked at
     * @param advisor must be part of each proxy of a bean with such methods
     * @param locks knows whether there is a template
     * @param roles receives the roles that were found
     */
    public LeaderStartupCheck(
            ApplicationContext own,
            ConfigurableListableBeanFactory beans,
            LeaderAdvisor advisor,
            LockAdvisor locks,
            LeaderRoles roles) {
        this.own = own;
        this.beans = beans;
        this.advisor = advisor;
        this.locks = locks;
        this.roles = roles;
    }

    @Override
    public void afterSingletonsInstantiated() {
        check(beans);
    }

    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        if (event.getApplicationContext() != own
                && event.getApplicationContext() instanceof ConfigurableApplicationContext child
                && child.getBeanFactory().getBeanNamesForType(LeaderAdvisor.class, true, false).length == 0) {
            check(child.getBeanFactory());
        }
    }

    private void check(ConfigurableListableBeanFactory all) {
        ProxiedBeans.visit(all, (name, type, instance) -> {
            List<GuardedMethod> found = advisor.guardedBy(type);
            advisor.warnOfUncovered(type);
            declare(found);
            if (instance != null) {
                requireProxy(all, name, instance, found);
            }
        });
    }

    private void declare(List<GuardedMethod> found) {
        for (GuardedMethod each : found) {
            locks.requireTemplateFor(describe(each) + " has no lock for the leader election");
            roles.declare(each.role());
        }
    }

    private void requireProxy(
            ConfigurableListableBeanFactory all, String name, Object instance, List<GuardedMethod> found) {
        if (!found.isEmpty() && !ProxiedBeans.haveAdvisor(all, name, instance, LeaderAdvisor.class)) {
            throw new LockDefinitionException(
                    describe(found.get(0)) + " would run on every instance: bean '" + name
                            + "' has no proxy with the leader advisor. It was created too early (a BeanPostProcessor depends"
                            + " on it), registered as an existing instance, or is in a child context without the lock"
                            + " auto-configuration.",
                    "Let Spring create the bean after the post-processors, or check Leadership.isLeader() inside the method.");
        }
        advisor.checkProxy(instance, found);
    }

    private static String describe(GuardedMethod guarded) {
        return LockDefinition.describe(
                LeaderOnly.class, guarded.method(), guarded.method().getDeclaringClass());
    }
}
