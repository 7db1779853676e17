package io.holdfast.lock.spring.aop;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.definition.LockDefinition;
import io.holdfast.lock.spring.transaction.TransactionOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Looks at all beans when the application has been put together, and ends the start if one has locked methods that
 * would run without the lock: it has no proxy, its definition cannot work, transactions would begin before the lock, or
 * the work would go on after it.
 *
 * <p>Creates no bean: of those that do not exist yet, it looks at the type.
 */
public final class LockStartupCheck implements SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beans;
    private final LockAdvisor advisor;

    /**
     * Creates an instance.
     *
     * @param beans all of them are looked at
     * @param advisor must be part of each proxy of a bean with locked methods
     */
    public LockStartupCheck(ConfigurableListableBeanFactory beans, LockAdvisor advisor) {
        this.beans = beans;
        this.advisor = advisor;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<LockDefinition> found = new ArrayList<>();
        ProxiedBeans.visit(beans, (name, type, instance) -> found.addAll(check(name, type, instance)));
        if (!found.isEmpty()) {
            TransactionOrder.check(beans, advisor.getOrder());
            advisor.requireTemplateFor(found.get(0));
        }
        advisor.warnOf(found);
    }

    private List<LockDefinition> check(String name, Class<?> type, @Nullable Object instance) {
        List<LockDefinition> found = advisor.definitionsOf(type);
        advisor.requireThatLossesMayBeLogged(type, found);
        advisor.warnOfUncovered(type);
        if (instance != null && !found.isEmpty()) {
            requireLocked(name, instance, found.get(0));
            advisor.rules()
                    .checkProxy(
                            instance, found.stream().map(LockDefinition::method).toList());
            AsyncOrder.check(name, instance, found);
            closeBeforeTheTemplate(name);
        }
        return found;
    }

    /**
     * The proxy finds the template by itself, so Spring has to be notified that the bean needs it until the bean is destroyed.
     */
    private void closeBeforeTheTemplate(String name) {
        for (String template : beans.getBeanNamesForType(LockTemplate.class, true, false)) {
            beans.registerDependentBean(template, name);
        }
    }

    private void requireLocked(String name, Object instance, LockDefinition definition) {
        if (!ProxiedBeans.haveAdvisor(beans, name, instance, LockAdvisor.class)) {
            throw new LockDefinitionException(
                    LockDefinition.describe(
                                    definition.method(), definition.method().getDeclaringClass())
                            + " would run without its lock: bean '" + name + "' has no proxy with the lock"
                            + " advisor. It was created too early (a BeanPostProcessor depends on it), or registered"
                            + " as an existing instance.",
                    "Let Spring create the bean after the post-processors, or use LockTemplate inside the method. If"
                            + " it is a test double, replace the bean with @MockitoBean or @TestBean.");
        }
    }
}
