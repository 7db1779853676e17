package io.holdfast.lock.spring.transaction;

import io.holdfast.lock.api.LockTemplate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Refuses to commit under a lost lock: an exception thrown here, as the last step before the commit itself, makes the manager
 * roll back, and reaches the caller of the commit. On the release of a savepoint, it makes the manager mark the whole transaction
 * as rollback-only.
 *
 * <p>The locks are those that the thread holds according to the templates. So no state is kept here, and none can be left behind.
 *
 * <p>It registers with each transaction manager when that is created, however late. A second pass, after the singletons have been
 * created, finds managers that were created too early for post-processors or registered as an instance, and those whose listeners
 * were replaced. This post-processor is the first of all, so it sees managers before they are wrapped in proxies.
 *
 * <p>Managers of reactive transactions are ignored: their commits may run on any thread, which holds none of the locks.
 */
public final class CommitCheck
        implements TransactionExecutionListener,
                BeanPostProcessor,
                PriorityOrdered,
                SmartInitializingSingleton,
                DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(CommitCheck.class);

    private final ConfigurableListableBeanFactory beans;
    private final Supplier<Duration> margin;
    private final Set<ConfigurableTransactionManager> checked = ConcurrentHashMap.newKeySet();
    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    /** Includes templates that were destroyed: they have released their locks, and a thread may continue after that. */
    private final Set<LockTemplate> templates = new CopyOnWriteArraySet<>();

    /**
     * Creates an instance.
     *
     * @param beans contains the managers and templates
     * @param margin how long locks must last after a commit starts; called on each commit
     */
    public CommitCheck(ConfigurableListableBeanFactory beans, Supplier<Duration> margin) {
        this.beans = beans;
        this.margin = margin;
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        forEachExisting(LockTemplate.class, (name, template) -> templates.add(template));
        templates.forEach(template -> template.ensureHeld(margin.get()));
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
        boolean isNew = seen.add(name);
        if (manager instanceof ConfigurableTransactionManager checkable) {
            checked.add(checkable);
            listen(checkable, true);
        } else if (isNew) {
            log.warn(
                    "Transaction manager '{}' commits without checking that locks are still held, because {} is not"
                            + " a ConfigurableTransactionManager. Call LockTemplate.ensureHeld before each commit.",
                    name,
                    manager.getClass().getName());
        }
    }

    /** Sets a copy: the collection may be immutable, and another thread may be iterating over it. */
    private void listen(ConfigurableTransactionManager manager, boolean whether) {
        List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
        listeners.remove(this);
        if (whether) {
            listeners.add(this);
        }
        manager.setTransactionExecutionListeners(listeners);
    }

    /** A manager may outlive this application, if it is an instance that was registered with several. */
    @Override
    public void destroy() {
        checked.forEach(manager -> listen(manager, false));
    }
}
