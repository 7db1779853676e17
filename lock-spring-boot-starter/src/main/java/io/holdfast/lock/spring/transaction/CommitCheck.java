package io.holdfast.lock.spring.transaction;

import io.holdfast.lock.api.LockTemplate;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Supplier;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Refuses to commit under a lost lock: what it throws here, as the last step before the commit itself, makes the manager
 * roll back, and reaches whoever wanted to commit. At the release of a savepoint, it makes the manager mark the whole
 * transaction as rollback-only.
 *
 * <p>The locks are those that the thread holds by the books of the templates. So there is nothing to be kept here, and
 * nothing to be left behind.
 */
final class CommitCheck implements TransactionExecutionListener {

    private final Supplier<? extends Collection<LockTemplate>> templates;
    private final Supplier<Duration> margin;

    CommitCheck(Supplier<? extends Collection<LockTemplate>> templates, Supplier<Duration> margin) {
        this.templates = templates;
        this.margin = margin;
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        for (LockTemplate template : templates.get()) {
            template.ensureHeld(margin.get());
        }
    }
}
