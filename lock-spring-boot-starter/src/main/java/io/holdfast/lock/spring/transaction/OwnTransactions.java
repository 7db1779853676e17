package io.holdfast.lock.spring.transaction;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/**
 * Which methods never work in the transaction of their caller. Those that suspend it do not, if there is only one
 * transaction manager: with several, the method may begin a transaction at one, and go on with that of the caller at
 * another.
 */
final class OwnTransactions {

    private static final Set<Integer> SUSPENDING =
            Set.of(TransactionDefinition.PROPAGATION_REQUIRES_NEW, TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
    private static final Set<Integer> TRANSACTIONAL = Set.of(
            TransactionDefinition.PROPAGATION_REQUIRED,
            TransactionDefinition.PROPAGATION_REQUIRES_NEW,
            TransactionDefinition.PROPAGATION_MANDATORY,
            TransactionDefinition.PROPAGATION_NESTED);

    private final Map<MethodClassKey, Boolean> known = new ConcurrentHashMap<>();
    private final ListableBeanFactory beans;

    OwnTransactions(ListableBeanFactory beans) {
        this.beans = beans;
    }

    boolean isBegunBy(MethodInvocation invocation) {
        Method method = invocation.getMethod();
        Object target = invocation.getThis();
        Class<?> type = target == null ? method.getDeclaringClass() : AopUtils.getTargetClass(target);
        return known.computeIfAbsent(new MethodClassKey(method, type), id -> suspendsCaller(method, type));
    }

    private boolean suspendsCaller(Method method, Class<?> type) {
        if (BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, TransactionManager.class, true, false).length
                != 1) {
            return false;
        }
        return isAny(method, type, SUSPENDING);
    }

    /** Whether it runs in a transaction whenever it is called, be it its own or that of its caller. */
    boolean isTransactional(Method method, Class<?> type) {
        return isAny(method, type, TRANSACTIONAL);
    }

    private boolean isAny(Method method, Class<?> type, Set<Integer> propagations) {
        return beans.getBeanProvider(TransactionAttributeSource.class).stream()
                .map(source -> source.getTransactionAttribute(method, type))
                .filter(Objects::nonNull)
                .map(TransactionAttribute::getPropagationBehavior)
                .anyMatch(propagations::contains);
    }
}
