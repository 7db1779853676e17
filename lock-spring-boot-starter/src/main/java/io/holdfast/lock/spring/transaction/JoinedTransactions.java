package io.holdfast.lock.spring.transaction;

import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import java.lang.reflect.Method;
import java.util.function.BooleanSupplier;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Keeps the lock of a method that joins its caller's transaction until that result completes. Released at the end of the method,
 * the lock would go to a next holder who does not see yet what the method wrote.
 *
 * <p>The method may end with an exception that the caller deals with, and what it wrote before may still be committed; so
 * that makes no difference. A method that runs in a transaction of its own has written everything when it ends.
 */
public final class JoinedTransactions implements CallerTransactions {

    private final OwnTransactions own;
    private final InsideWarnings warnings = new InsideWarnings();
    private final EarlyReleases early = new EarlyReleases();
    private final BooleanSupplier releaseAfterCompletion;

    /**
     * Creates an instance.
     *
     * @param beans knows what is transactional
     * @param releaseAfterCompletion false leaves locks as they are: released when their method ends
     */
    public JoinedTransactions(ListableBeanFactory beans, BooleanSupplier releaseAfterCompletion) {
        this.own = new OwnTransactions(beans);
        this.releaseAfterCompletion = releaseAfterCompletion;
    }

    @Override
    public boolean isTransactional(Method method, Class<?> type) {
        return own.isTransactional(method, type);
    }

    @Override
    public Runnable before(MethodInvocation invocation, String caller, LockRequest request, LockTemplate locks) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || !TransactionSynchronizationManager.isSynchronizationActive()
                || own.isBegunBy(invocation)) {
            return NOTHING;
        }
        boolean keep = releaseAfterCompletion.getAsBoolean();
        warnings.warn(caller, request, locks, keep);
        return keep
                ? () -> HeldUntilCompletion.inCurrentTransaction(this).keep(request, locks)
                : () -> early.forget(request.name());
    }

    /** {@return warns of locks that no locked method acquired, and that are released before the commit} */
    public LockListener earlyReleases() {
        return early;
    }
}
