package io.holdfast.lock.spring.transaction;

import io.holdfast.lock.api.LockTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
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
 * Adds a listener to each transaction manager when that is created, however late. A second pass, after the singletons have been
 * created, finds managers that were created too early for post-processors or registered as an instance, and those whose listeners
 * were replaced. This post-processor is the first of all, so it sees managers before they are wrapped in proxies.
 *
 * <p>Also knows the lock templates: their locks are those that the thread holds. So no state is kept here, and none can be left
 * behind.
 *
 * <p>Managers of reactive transactions are ignored: their commits may run on any thread, which holds none of the locks.
 */
public abstract class ManagerListeners
        implements BeanPostProcessor, PriorityOrdered, SmartInitializingSingleton, DisposableBean {

    private final ConfigurableListableBeanFactory beans;
    private final boolean first;
    private final Map<ConfigurableTransactionManager, TransactionExecutionListener> added = new ConcurrentHashMap<>();
    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    /** Includes templates that were destroyed: they have released their locks, and a thread may continue after that. */
    private final Set<LockTemplate> templates = new CopyOnWriteArraySet<>();

    /**
     * Creates an instance.
     *
     * @param beans contains the managers and templates
     * @param first whether the listeners are called before those of the application; otherwise after them
     */
    protected ManagerListeners(ConfigurableListableBeanFactory beans, boolean first) {
        this.beans = beans;
        this.first = first;
    }

    /**
     * Called once for each manager.
     *
     * @param name the name of its bean
     * @return its listener; null for none
     */
    protected abstract @Nullable TransactionExecutionListener listener(String name, PlatformTransactionManager manager);

    /** Called on the thread of a running transaction, when a lock that will be held until its end has been acquired inside it. */
    public void acquiredInside() {}

    /** {@return the lock templates, whose locks are those of the threads} */
    protected final Set<LockTemplate> templates() {
        forEachExisting(LockTemplate.class, (name, template) -> templates.add(template));
        return templates;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof PlatformTransactionManager manager) {
            addTo(name, manager);
        } else if (bean instanceof LockTemplate template) {
            templates.add(template);
        }
        return bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        forEachExisting(PlatformTransactionManager.class, this::addTo);
    }

    /**
     * Visits the beans of this context and its parents. Creates none: a template that does not exist holds no locks, and may be
     * created as late as when the first lock is acquired.
     */
    private <T> void forEachExisting(Class<T> type, BiConsumer<String, T> action) {
        BeanFactory each = beans;
        while (each instanceof ConfigurableListableBeanFactory factory) {
            for (String name : factory.getBeanNamesForType(type)) {
                if (factory.containsSingleton(name) && type.isInstance(factory.getBean(name))) {
                    action.accept(name, type.cast(factory.getBean(name)));
                }
            }
            each = factory.getParentBeanFactory();
        }
    }

    private void addTo(String name, PlatformTransactionManager manager) {
        TransactionExecutionListener listener =
                manager instanceof ConfigurableTransactionManager known ? added.get(known) : null;
        if (listener == null && seen.add(name)) {
            listener = listener(name, manager);
        }
        if (listener != null && manager instanceof ConfigurableTransactionManager configurable) {
            added.put(configurable, listener);
            listen(configurable, listener, true);
        }
    }

    /** Sets a copy: the collection may be immutable, and another thread may be iterating over it. */
    private void listen(
            ConfigurableTransactionManager manager, TransactionExecutionListener listener, boolean whether) {
        List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
        listeners.remove(listener);
        if (whether) {
            listeners.add(first ? 0 : listeners.size(), listener);
        }
        manager.setTransactionExecutionListeners(listeners);
    }

    /** A manager may outlive this application, if it is an instance that was registered with several. */
    @Override
    public void destroy() {
        added.forEach((manager, listener) -> listen(manager, listener, false));
    }
}
