package io.holdfast.lock.spring.aop;

import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.definition.LockDefinition;
import java.util.List;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Looks at contexts that have this one as their parent. A child without a proxy creator of its own applies no advisor, so its
 * locked methods would run unlocked, and end the child's start. A child that has the advisor looks after itself.
 */
public final class ChildContextCheck implements ApplicationListener<ContextRefreshedEvent> {

    private final ApplicationContext own;
    private final LockAdvisor advisor;

    /**
     * Creates an instance.
     *
     * @param own the context whose children are looked at
     * @param advisor knows locked methods
     */
    public ChildContextCheck(ApplicationContext own, LockAdvisor advisor) {
        this.own = own;
        this.advisor = advisor;
    }

    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        if (event.getApplicationContext() != own
                && event.getApplicationContext() instanceof ConfigurableApplicationContext child) {
            check(child.getBeanFactory());
        }
    }

    private void check(ConfigurableListableBeanFactory beans) {
        if (beans.getBeanNamesForType(LockAdvisor.class, true, false).length > 0) {
            return;
        }
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = BeanTypes.of(beans, name);
            List<LockDefinition> found = type == null ? List.of() : advisor.definitionsOf(type);
            boolean locked = beans.containsSingleton(name)
                    && ProxiedBeans.hasAdvisor(beans.getSingleton(name), LockAdvisor.class);
            if (!found.isEmpty() && !locked) {
                throw unlocked(name, found.get(0));
            }
        }
    }

    private static LockDefinitionException unlocked(String name, LockDefinition definition) {
        return new LockDefinitionException(
                LockDefinition.describe(definition.method(), definition.method().getDeclaringClass())
                        + " would run without its lock: bean '" + name
                        + "' is in a child application context without the lock"
                        + " auto-configuration.",
                "Add @EnableAutoConfiguration to a configuration of the child context, or move the bean to the parent context.");
    }
}
