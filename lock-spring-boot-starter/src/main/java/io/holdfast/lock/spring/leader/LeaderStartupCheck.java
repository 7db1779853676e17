package io.holdfast.lock.spring.leader;

import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.aop.LockStartupCheck;
import io.holdfast.lock.spring.aop.ProxiedBeans;
import io.holdfast.lock.spring.definition.LockOperation;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Looks at all beans when the application has been put together: declares the roles of their methods, and ends the start if one of
 * these would run on every instance, since its bean has no proxy. Creates no bean.
 */
public final class LeaderStartupCheck implements SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beans;
    private final LeaderAdvisor advisor;
    private final LeaderRoles roles;

    /**
     * Creates an instance.
     *
     * @param beans all of them are looked at
     * @param advisor must be part of each proxy of a bean with such methods
     * @param roles receives the roles that were found
     */
    public LeaderStartupCheck(ConfigurableListableBeanFactory beans, LeaderAdvisor advisor, LeaderRoles roles) {
        this.beans = beans;
        this.advisor = advisor;
        this.roles = roles;
    }

    @Override
    public void afterSingletonsInstantiated() {
        ProxiedBeans.visit(beans, this::check);
    }

    private void check(String name, Class<?> type, @Nullable Object instance) {
        List<GuardedMethod> found = advisor.methods().allOf(type);
        for (GuardedMethod each : found) {
            LockStartupCheck.requireTemplate(beans, describe(each) + " has no lock for the leader election");
            roles.declare(each.role());
        }
        if (instance != null && !found.isEmpty()) {
            if (!ProxiedBeans.haveAdvisor(beans, name, instance, LeaderAdvisor.class)) {
                throw new LockDefinitionException(
                        describe(found.get(0)) + " would run on every instance: bean '" + name
                                + "' has no proxy with the leader advisor. It was created too early (a BeanPostProcessor"
                                + " depends on it), or registered as an existing instance.",
                        "Let Spring create the bean after the post-processors, or check Leadership.isLeader() inside the"
                                + " method.");
            }
            advisor.methods().requireNoFinalMethods(instance);
        }
    }

    private static String describe(GuardedMethod guarded) {
        return LockOperation.describe(
                LeaderOnly.class, guarded.method(), guarded.method().getDeclaringClass());
    }
}
