package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.fence.FenceTable;
import io.holdfast.lock.spring.fence.TransactionFence;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.util.function.SingletonSupplier;

/** Lets the database refuse transactions of a holder that is late. */
@AutoConfiguration(after = LockAutoConfiguration.class)
@LocksEnabled
@ConditionalOnBooleanProperty("holdfast.transactions.fence.enabled")
public final class LockFenceAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JdbcTransactionObjectSupport.class)
    static class Jdbc {

        @Bean(defaultCandidate = false)
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static TransactionFence holdfastTransactionFence(
                ConfigurableListableBeanFactory beans, ObjectProvider<LockProperties> properties) {
            return new TransactionFence(beans, SingletonSupplier.of(() -> table(properties.getObject())));
        }

        private static FenceTable table(LockProperties properties) {
            LockProperties.Fence fence = properties.transactions().fence();
            return new FenceTable(properties.redis().keyPrefix(), fence.table(), fence::creates);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("org.springframework.jdbc.datasource.JdbcTransactionObjectSupport")
    static class WithoutJdbc {

        WithoutJdbc() {
            throw new LockConfigurationException(
                    "holdfast.transactions.fence.enabled is true, but spring-jdbc is not on the class path.",
                    "Add spring-boot-starter-jdbc or spring-boot-starter-data-jpa to the application, or remove that property.");
        }
    }
}
