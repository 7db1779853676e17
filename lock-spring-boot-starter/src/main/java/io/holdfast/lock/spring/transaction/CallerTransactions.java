package io.holdfast.lock.spring.transaction;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import org.aopalliance.intercept.MethodInvocation;

/**
 * The transactions in which callers of locked methods are already running, if any. Refers to no type of Spring's transaction
 * support, which an application need not have.
 */
@FunctionalInterface
public interface CallerTransactions {

    /** Does nothing. */
    Runnable NOTHING = () -> {};

    /** For applications without transactions. */
    CallerTransactions NONE = (invocation, caller, request, locks) -> NOTHING;

    /**
     * Called on the caller's thread, before the lock is acquired.
     *
     * @param invocation the call of the locked method
     * @param caller the method, for messages
     * @param request what will be acquired
     * @param locks the template with which it will be acquired
     * @return an action to be run on the same thread once the lock is held, before the method; may throw
     */
    Runnable before(MethodInvocation invocation, String caller, LockRequest request, LockTemplate locks);

    /**
     * Checks that locks are acquired before transactions begin. Otherwise, the lock would be free before the commit, and its next
     * holder would not see what was written.
     *
     * @param lockOrder the order of the lock advisor
     * @throws io.holdfast.lock.spring.LockConfigurationException if transactions begin before their lock is acquired
     */
    default void requireInside(int lockOrder) {}
}
