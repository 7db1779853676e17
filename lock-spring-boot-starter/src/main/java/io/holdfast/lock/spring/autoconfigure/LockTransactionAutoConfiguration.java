package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.spring.transaction.CommitCheck;
import io.holdfast.lock.spring.transaction.JoinedTransactions;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.TransactionExecutionListener;

/** Makes locks span transactions. Needs no transaction manager bean: a manager may be created later, or not be a bean. */
@AutoConfiguration(after = LockAutoConfiguration.class)
@LocksEnabled
@ConditionalOnClass(TransactionExecutionListener.class)
public final class LockTransactionAutoConfiguration {

    /** Adds itself to all managers, and must not be injected where an application expects its own listener. */
    @Bean(defaultCandidate = false)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static CommitCheck holdfastCommitCheck(
            ConfigurableListableBeanFactory beans, ObjectProvider<LockProperties> properties) {
        return new CommitCheck(
                beans, () -> properties.getObject().transactions().commitMargin());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static JoinedTransactions holdfastCallerTransactions(
            ConfigurableListableBeanFactory beans, ObjectProvider<LockProperties> properties) {
        return new JoinedTransactions(
                beans, () -> properties.getObject().transactions().releaseAfterCompletion());
    }
}
