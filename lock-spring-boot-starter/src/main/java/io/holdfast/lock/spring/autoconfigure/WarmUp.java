package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.store.DaemonThreads;
import io.holdfast.lock.store.LockStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.SpringProperties;

/**
 * Has the store connect while the application starts, if a bean has locked methods or was given the template. The first call of a
 * client loads its driver, which may take longer than a command may: a second on a busy machine. An application that uses no
 * lock so far is spared both. Without an answer nothing happens, but for a line at DEBUG.
 *
 * <p>Comes after the check that finds locked methods, which tells Spring that their beans depend on the template.
 */
final class WarmUp implements SmartInitializingSingleton, ApplicationListener<ContextClosedEvent> {

    private static final Logger log = LoggerFactory.getLogger(WarmUp.class);

    private final ConfigurableListableBeanFactory beans;
    private final ObjectProvider<LockStore> stores;
    private volatile boolean closing;

    WarmUp(ConfigurableListableBeanFactory beans, ObjectProvider<LockStore> stores) {
        this.beans = beans;
        this.stores = stores;
    }

    /** On a thread of its own. Not before a checkpoint, which finds no connection open. */
    @Override
    public void afterSingletonsInstantiated() {
        if (isUsed() && SpringProperties.getProperty("spring.context.checkpoint") == null) {
            LockStore store = stores.getIfUnique();
            if (store != null) {
                DaemonThreads.create(() -> ask(store), "holdfast-warm-up").start();
            }
        }
    }

    /** The beans of the starter look the template up when they need it, and do not count. Nor does a template that is a mock. */
    private boolean isUsed() {
        for (String template : beans.getBeanNamesForType(LockEngine.class, true, false)) {
            if (beans.containsSingleton(template) && beans.getDependentBeans(template).length > 0) {
                return true;
            }
        }
        return false;
    }

    /** Connections are closed from now on: that they fail says nothing of the store. */
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext().getAutowireCapableBeanFactory() == beans) {
            closing = true;
        }
    }

    private void ask(LockStore store) {
        try {
            store.inspect(LockKey.of("warm-up"));
        } catch (RuntimeException e) {
            if (closing) {
                log.debug("The application ended before the lock store responded", e);
                return;
            }
            log.warn(
                    "The lock store is not available yet; calls that need a lock fail until it is: {}", e.getMessage());
            log.debug("Stack trace of the failure", e);
        }
    }
}
