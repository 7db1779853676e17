package io.holdfast.lock.spring.transaction;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.LockConfigurationException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

/**
 * Keeps the lock of a method that joins its caller's transaction until that transaction has completed. If the lock were released
 * at the end of the method, the next holder would not yet see what the method wrote.
 *
 * <p>An exception thrown by the method makes no difference: the caller may handle it, and what the method wrote before may still
 * be committed. A method that runs in its own transaction has written everything when it ends.
 *
 * <p>Locks that are acquired through a template, handle or view are not kept. As a listener, this class warns about those that
 * are acquired and released inside a running transaction. It does not warn if the transaction wrote nothing under the lock, as
 * far as can be determined: it is read-only, or it was suspended while the lock was held, so the work ran in its own transaction.
 */
public final class JoinedTransactions implements CallerTransactions, LockListener {

    /** There may be as many unnamed locks as there are keys. */
    static final int MAX_EARLY_WARNINGS = 20;

    private static final Logger log = LoggerFactory.getLogger(JoinedTransactions.class);
    /** Can be disabled separately from the other warnings. */
    private static final Logger early =
            LoggerFactory.getLogger(JoinedTransactions.class.getPackageName() + ".EarlyReleases");

    private static final Set<Integer> SUSPENDING =
            Set.of(TransactionDefinition.PROPAGATION_REQUIRES_NEW, TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
    private final ListableBeanFactory beans;
    private final BooleanSupplier releaseAfterCompletion;
    private final Supplier<List<ManagerListeners>> listeners;
    private final Map<MethodClassKey, Boolean> suspending = new ConcurrentHashMap<>();
    private final Set<String> warnedMethods = ConcurrentHashMap.newKeySet();
    private final Set<String> warnedNames = ConcurrentHashMap.newKeySet();

    /**
     * Creates an instance.
     *
     * @param beans contains what specifies transactions
     * @param releaseAfterCompletion false to release locks when their method ends, as without this class
     */
    public JoinedTransactions(ListableBeanFactory beans, BooleanSupplier releaseAfterCompletion) {
        this.beans = beans;
        this.releaseAfterCompletion = releaseAfterCompletion;
        this.listeners = SingletonSupplier.of(
                () -> beans.getBeanProvider(ManagerListeners.class).stream().toList());
    }

    /** Checks all transaction advisors, including those of parent contexts, which apply here too. */
    @Override
    public void requireInside(int lockOrder) {
        beans.getBeanProvider(BeanFactoryTransactionAttributeSourceAdvisor.class, false).stream()
                .filter(transactions -> transactions.getOrder() <= lockOrder)
                .forEach(transactions -> {
                    throw new LockConfigurationException(
                            "Transactions would begin before their lock is acquired, and locks would be released before"
                                    + " the commit: the order of transactions is " + transactions.getOrder()
                                    + ", that of locks is " + lockOrder + ", and the lower value is outermost.",
                            "Set holdfast.aop.order to less than " + transactions.getOrder()
                                    + ", or @EnableTransactionManagement(order = …) to more than " + lockOrder + ".");
                });
    }

    @Override
    public Runnable before(MethodInvocation invocation, String caller, LockRequest request, LockTemplate locks) {
        if (!isActive() || suspendsCaller(invocation)) {
            return NOTHING;
        }
        boolean keep = releaseAfterCompletion.getAsBoolean();
        warnOfLateLock(caller, request, locks, keep);
        return keep
                ? () -> {
                    TransactionLocks.current(this).keep(request, locks);
                    listeners.get().forEach(ManagerListeners::acquiredInside);
                }
                : () -> TransactionLocks.current(this).acquired.values().removeIf(request.name()::equals);
    }

    private static boolean isActive() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                && TransactionSynchronizationManager.isActualTransactionActive();
    }

    /**
     * Whether the method never works in the transaction of its caller. A method that suspends it does not, if there is only one
     * transaction manager: with several, it may begin a transaction with one, and continue the caller's transaction with another.
     */
    private boolean suspendsCaller(MethodInvocation invocation) {
        Method method = invocation.getMethod();
        Object target = invocation.getThis();
        Class<?> type = target == null ? method.getDeclaringClass() : AopUtils.getTargetClass(target);
        return suspending.computeIfAbsent(
                new MethodClassKey(method, type),
                id -> beans.getBeanProvider(TransactionAttributeSource.class).stream()
                                .map(source -> source.getTransactionAttribute(method, type))
                                .anyMatch(found -> found != null && SUSPENDING.contains(found.getPropagationBehavior()))
                        && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(
                                                beans, TransactionManager.class, true, false)
                                        .length
                                == 1);
    }

    /** Warns once for each method: the data that the lock protects may have been read already. */
    private void warnOfLateLock(String caller, LockRequest request, LockTemplate locks, boolean kept) {
        if (warnedMethods.contains(caller) || isHeld(request, locks) || !warnedMethods.add(caller)) {
            return;
        }
        log.warn(
                "{} acquires lock '{}' inside {}, which is already running{}",
                caller,
                request.key(),
                transaction(),
                kept
                        ? ". Data that the transaction has already read may be stale. Acquire the lock before the"
                                + " transaction begins, or run the method in its own transaction (REQUIRES_NEW). The"
                                + " lock is held until the transaction completes."
                        : ", and releases it before the commit: the next holder does not see what the transaction"
                                + " wrote. Set holdfast.transactions.release-after-completion=true, or acquire the"
                                + " lock before the transaction begins.");
    }

    private static boolean isHeld(LockRequest request, LockTemplate locks) {
        return request.keys().stream()
                .allMatch(key -> locks.getLock(LockRequest.of(key).shared()).holdCount() > 0);
    }

    /** A transaction that was begun with a TransactionTemplate has no name. */
    private static String transaction() {
        String name = TransactionSynchronizationManager.getCurrentTransactionName();
        return name == null ? "a transaction" : "transaction '" + LockKey.printable(name) + "'";
    }

    @Override
    public boolean isListening() {
        return isActive() && !TransactionSynchronizationManager.isCurrentTransactionReadOnly();
    }

    @Override
    public void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Acquired acquired && isListening()) {
            TransactionLocks.current(this).acquired.put(acquired.key(), acquired.name());
        } else if (event instanceof LockEvent.Released released && isListening()) {
            TransactionLocks inside = TransactionLocks.existing(this);
            if (inside != null && inside.acquired.remove(released.key()) != null) {
                warnOfEarlyRelease(released);
            }
        }
    }

    private void warnOfEarlyRelease(LockEvent.Released released) {
        String shown = released.key().toString();
        String name = released.name().isEmpty() ? shown.split(":", 2)[0] : released.name();
        if (warnedNames.contains(name) || warnedNames.size() >= MAX_EARLY_WARNINGS || !warnedNames.add(name)) {
            return;
        }
        early.warn(
                "Lock '{}' was acquired and released inside {}, before the commit: the next holder does not see what"
                        + " the transaction wrote. Acquire the lock before the transaction begins, run the work in"
                        + " its own transaction (REQUIRES_NEW), or use @DistributedLock, which keeps the lock until"
                        + " the transaction completes. This warning is logged once per lock name.",
                shown,
                transaction());
    }
}
