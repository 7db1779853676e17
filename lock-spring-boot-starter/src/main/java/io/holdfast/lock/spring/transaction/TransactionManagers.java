package io.holdfast.lock.spring.transaction;

import io.holdfast.lock.api.LockTemplate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Sees to it that each transaction manager of the application asks before a commit whether the thread's locks are held.
 *
 * <p>Managers and templates are found as they are created, whenever that is, so none is created because of it. A second
 * look when the application has been put together finds what was created too early for post-processors or registered as
 * an instance, and managers whose listeners were replaced. It comes first of all post-processors, so it sees managers
 * before they are wrapped in proxies.
 *
 * <p>Managers of reactive transactions are left alone: a commit there comes on any thread, which holds none of the locks.
 */
public final class TransactionManagers
        implements BeanPostProcessor, PriorityOrdered, SmartInitializingSingleton, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(TransactionManagers.class);

    private final ConfigurableListableBeanFactory beans;
    private final Set<LockTemplate> templates = new CopyOnWriteArraySet<>();
    /** Templates that did not exist yet: names are looked for once, since that takes a look at all beans. */
    private final Queue<Named> late = new ConcurrentLinkedQueue<>();

    private final Set<ConfigurableTransactionManager> checked = ConcurrentHashMap.newKeySet();
    private final Set<String> unchecked = ConcurrentHashMap.newKeySet();
    private final TransactionExecutionListener check;

    /**
     * Creates an instance.
     *
     * @param beans where managers and templates are
     * @param margin how long locks must last from a commit on; asked at each commit
     */
    public TransactionManagers(ConfigurableListableBeanFactory beans, Supplier<Duration> margin) {
        this.beans = beans;
        this.check = new CommitCheck(this::templates, margin);
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof LockTemplate template) {
            templates.add(template);
        }
        if (bean instanceof PlatformTransactionManager manager) {
            addTo(manager, name);
        }
        return bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (Named each : named(PlatformTransactionManager.class)) {
            if (each.existing() instanceof PlatformTransactionManager manager) {
                addTo(manager, each.name);
            }
        }
        late.addAll(named(LockTemplate.class));
        addLateTemplates();
    }

    /** A parent context may create the one that is used here as late as when the first lock is acquired. */
    private Set<LockTemplate> templates() {
        if (!late.isEmpty()) {
            addLateTemplates();
        }
        return templates;
    }

    private void addLateTemplates() {
        late.removeIf(this::addIfExisting);
    }

    private boolean addIfExisting(Named each) {
        if (each.existing() instanceof LockTemplate template) {
            templates.add(template);
            return true;
        }
        return false;
    }

    /** A bean that may not exist yet. */
    private record Named(ConfigurableListableBeanFactory factory, String name) {

        @Nullable
        Object existing() {
            return factory.containsSingleton(name) ? factory.getSingleton(name) : null;
        }
    }

    /** In this context and its parents. */
    private List<Named> named(Class<?> type) {
        List<Named> found = new ArrayList<>();
        BeanFactory factory = beans;
        while (factory instanceof ConfigurableListableBeanFactory each) {
            for (String name : each.getBeanNamesForType(type, true, false)) {
                found.add(new Named(each, name));
            }
            factory = each.getParentBeanFactory();
        }
        return found;
    }

    private void addTo(PlatformTransactionManager manager, String name) {
        Object target = AopProxyUtils.getSingletonTarget(manager);
        if ((target == null ? manager : target) instanceof ConfigurableTransactionManager checkable) {
            checked.add(checkable);
            replace(checkable, listeners -> {
                if (!listeners.contains(check)) {
                    listeners.add(check);
                }
            });
        } else if (unchecked.add(name)) {
            log.warn(
                    "Transaction manager '{}' commits without checking that locks are still held, because {} is not"
                            + " a ConfigurableTransactionManager. Call LockTemplate.ensureHeld before each commit.",
                    name,
                    manager.getClass().getName());
        }
    }

    /** By a copy: the collection may be immutable, and another thread may be going through it. */
    private static void replace(
            ConfigurableTransactionManager manager, Consumer<List<TransactionExecutionListener>> change) {
        List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
        change.accept(listeners);
        manager.setTransactionExecutionListeners(listeners);
    }

    /** A manager may live longer than this application: as an instance that was registered with several. */
    @Override
    public void destroy() {
        checked.forEach(manager -> replace(manager, listeners -> listeners.remove(check)));
    }
}
