package io.holdfast.lock.spring.transaction;

import io.holdfast.lock.spring.annotation.LockDefinitionException;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;

/**
 * Checks that locks are acquired before transactions begin. The other way round, the lock would be free before the
 * commit, and its next holder would not see what was written.
 */
public final class TransactionOrder {

    /** By name, since an application need not have transactions. */
    private static final String ADVISOR =
            "org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor";

    private TransactionOrder() {}

    /**
     * Looks at all transaction advisors, also those of parent contexts, which apply here too.
     *
     * @param beans where they are looked for
     * @param lockOrder the place of the lock advisor
     * @throws LockDefinitionException if transactions begin before their lock is acquired
     */
    public static void check(ConfigurableListableBeanFactory beans, int lockOrder) {
        for (String name : BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, Advisor.class, true, false)) {
            if (isTransactional(beans.getType(name, false)) && beans.getBean(name) instanceof Ordered transactions) {
                require(name, transactions.getOrder(), lockOrder);
            }
        }
    }

    private static boolean isTransactional(@Nullable Class<?> type) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            if (each.getName().equals(ADVISOR)) {
                return true;
            }
        }
        return false;
    }

    private static void require(String name, int transactionOrder, int lockOrder) {
        if (transactionOrder <= lockOrder) {
            throw new LockDefinitionException(
                    "Transactions would begin before their lock is acquired, and locks would be released before the"
                            + " commit: the order of the transaction advisor '" + name + "' is " + transactionOrder
                            + ", that of the lock advisor is " + lockOrder + ", and the lower value is outermost.",
                    advice(transactionOrder, lockOrder));
        }
    }

    /** Without what is impossible, since there is no number beyond. */
    private static String advice(int transactionOrder, int lockOrder) {
        String lock = "Set holdfast.aop.order to less than " + transactionOrder;
        if (lockOrder == Ordered.LOWEST_PRECEDENCE) {
            return lock + ".";
        }
        String transaction = "@EnableTransactionManagement(order = …) to more than " + lockOrder + ".";
        boolean outermost =
                transactionOrder <= Ordered.HIGHEST_PRECEDENCE + 1; // the check of the leader has the first place
        return outermost ? "Set " + transaction : lock + ", or " + transaction;
    }
}
