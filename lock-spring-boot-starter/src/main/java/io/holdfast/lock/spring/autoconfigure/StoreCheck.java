package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.aop.LockInterceptor;
import io.holdfast.lock.threads.DaemonThreads;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.SpringProperties;

/**
 * Connects to the store while the application starts, if a bean has locked methods or injects the template. The first call of a
 * client loads its driver, which may take longer than the command timeout: a second on a busy machine. An application that does
 * not use locks yet does not connect. A failure is logged; with {@code holdfast.fail-fast}, startup fails.
 *
 * <p>Runs after the check that finds locked methods, which registers their beans with Spring as dependent on the template.
 */
record StoreCheck(ConfigurableApplicationContext context) implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(StoreCheck.class);

    private static final String PROBE = "holdfast:start";
    private static final int MAX_ATTEMPTS = 3;
    private static final List<String> OBSERVERS =
            List.of("holdfastLocksEndpoint", "holdfastMetrics", "locksHealthIndicator");

    /**
     * Connects on a separate thread, unless a failure has to stop startup; but not before a checkpoint, at which no connection
     * may be open.
     */
    @Override
    public void afterSingletonsInstantiated() {
        ConfigurableListableBeanFactory beans = context.getBeanFactory();
        boolean areSet = LockProperties.areSet(beans);
        boolean failFast = areSet && beans.getBean(LockProperties.class).failFast();
        LockTemplate template =
                failFast ? beans.getBeanProvider(LockTemplate.class).getIfAvailable() : used(beans, areSet);
        if (template != null && failFast) {
            require(template);
        } else if (template != null && SpringProperties.getProperty("spring.context.checkpoint") == null) {
            DaemonThreads.create(() -> warmUp(template), "holdfast-warm-up").start();
        }
    }

    /**
     * The template is lazy, because an application without locks need not load it. If there is any sign of locks, it is created
     * now, so that startup fails if the store cannot be created.
     *
     * <p>The beans of the starter look the template up when they need it, and do not count as users. A mock of the template is
     * ignored as well.
     */
    private static @Nullable LockTemplate used(ConfigurableListableBeanFactory beans, boolean areSet) {
        boolean isNeeded = areSet
                || beans.getDependentBeans(LockAutoConfiguration.TEMPLATE).length > 0
                || OBSERVERS.stream().anyMatch(beans::containsBean);
        // that bean is lazy only if all are, as with spring.main.lazy-initialization
        boolean isEager = beans.containsBeanDefinition(LockInterceptor.SHUTDOWN)
                && !beans.getBeanDefinition(LockInterceptor.SHUTDOWN).isLazyInit();
        if (isNeeded && isEager && beans.containsBean(LockAutoConfiguration.TEMPLATE)) {
            var unused = beans.getBean(LockAutoConfiguration.TEMPLATE);
        }
        for (String name : beans.getBeanNamesForType(LockEngine.class, true, false)) {
            if (beans.getSingleton(name) instanceof LockEngine template && beans.getDependentBeans(name).length > 0) {
                return template;
            }
        }
        return null;
    }

    /** A call that gets no reply in time is repeated, because the first one loads the driver. */
    private static void require(LockTemplate template) {
        for (int attempt = 1; ; attempt++) {
            try {
                template.inspect(PROBE);
                return;
            } catch (LockStoreException e) {
                if (!e.outcomeUnknown() || attempt == MAX_ATTEMPTS) {
                    throw new LockConfigurationException(
                            "holdfast.fail-fast is true, but the lock store is not available: " + e.getMessage(),
                            "Fix the problem given in the description. To start without Redis, set"
                                    + " holdfast.fail-fast=false.",
                            e);
                }
            }
        }
    }

    private void warmUp(LockTemplate template) {
        try {
            template.inspect(PROBE);
        } catch (RuntimeException e) {
            if (!context.isClosed()) { // otherwise connections are being closed, so a failure indicates no problem
                log.warn(
                        "The lock store is not available yet; calls that need a lock fail until it is: {}",
                        e.getMessage());
            }
            log.debug("Stack trace of the failure", e);
        }
    }
}
