package io.holdfast.lock.spring.transaction;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
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
        return beans.getBeanProvider(TransactionAttributeSource.class).stream()
                .anyMatch(source -> suspends(source.getTransactionAttribute(method, type)));
    }

    private static boolean suspends(@Nullable TransactionAttribute attribute) {
        if (attribute == null) {
            return false;
        }
        int propagation = attribute.getPropagationBehavior();
        return propagation == TransactionDefinition.PROPAGATION_REQUIRES_NEW
                || propagation == TransactionDefinition.PROPAGATION_NOT_SUPPORTED;
    }
}
