package io.holdfast.lock.spring.transaction;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Refuses to commit under a lost lock: an exception thrown here, as the last step before the commit itself, makes the manager
 * roll back, and reaches the caller of the commit. On the release of a savepoint, it makes the manager mark the whole transaction
 * as rollback-only.
 */
public final class CommitCheck extends ManagerListeners implements TransactionExecutionListener {

    private static final Logger log = LoggerFactory.getLogger(CommitCheck.class);

    private final Supplier<Duration> margin;

    /**
     * Creates an instance.
     *
     * @param beans contains the managers and templates
     * @param margin how long locks must last after a commit starts; called on each commit
     */
    public CommitCheck(ConfigurableListableBeanFactory beans, Supplier<Duration> margin) {
        super(beans, false);
        this.margin = margin;
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        templates().forEach(template -> template.ensureHeld(margin.get()));
    }

    @Override
    protected @Nullable TransactionExecutionListener listener(String name, PlatformTransactionManager manager) {
        if (manager instanceof ConfigurableTransactionManager) {
            return this;
        }
        log.warn(
                "Transaction manager '{}' commits without checking that locks are still held, because {} is not"
                        + " a ConfigurableTransactionManager. Call LockTemplate.ensureHeld before each commit.",
                name,
                manager.getClass().getName());
        return null;
    }
}
