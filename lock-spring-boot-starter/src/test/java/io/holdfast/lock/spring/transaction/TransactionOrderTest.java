package io.holdfast.lock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

class TransactionOrderTest {

    static final List<String> STEPS = new CopyOnWriteArrayList<>();

    static class Service {
        @Transactional
        @DistributedLock(key = "'transactional'")
        public void run() {
            STEPS.add("work");
        }
    }

    static class Unlocked {
        @Transactional
        public void run() {}
    }

    static class RecordingTransactions extends AbstractPlatformTransactionManager {
        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            STEPS.add("begin");
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            STEPS.add("commit");
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            STEPS.add("rollback");
        }
    }

    private static void record(LockEvent event) {
        STEPS.add(event.getClass().getSimpleName());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Transactions {
        @Bean
        PlatformTransactionManager transactionManager() {
            return new RecordingTransactions();
        }

        @Bean
        LockListener recorder() {
            return TransactionOrderTest::record;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 5)
    static class TransactionsOutside {}

    private static void runsInOrder(ApplicationContextRunner runner) {
        STEPS.clear();
        runner.run(context -> {
            context.getBean(Service.class).run();
            assertThat(STEPS).containsExactly("Acquired", "begin", "work", "commit", "Released");
        });
    }

    @Test
    void lock_is_outside_the_transaction_when_transactions_are_registered_first() {
        runsInOrder(Runners.inMemory().withUserConfiguration(Transactions.class).withBean(Service.class));
    }

    @Test
    void lock_is_outside_the_transaction_when_locks_are_registered_first() {
        runsInOrder(new ApplicationContextRunner()
                .withBean(io.holdfast.lock.memory.InMemoryLockStore.class)
                .withUserConfiguration(io.holdfast.lock.spring.Runners.lockConfigurations())
                .withUserConfiguration(Transactions.class)
                .withBean(Service.class));
    }

    @Test
    void lock_is_outside_transactions_whose_order_is_raised_above() {
        runsInOrder(Runners.inMemory()
                .withPropertyValues("holdfast.aop.order=100")
                .withConfiguration(AutoConfigurations.of(Transactions.class))
                .withBean(Service.class));
    }

    @Test
    void transaction_outside_the_lock_fails_startup() {
        Runners.inMemory()
                .withUserConfiguration(TransactionsOutside.class)
                .withBean(Service.class)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("is 5", "2147483547", "holdfast.aop.order", "@EnableTransactionManagement(order"));
    }

    @Test
    void transactions_of_the_parent_application_count_too() {
        Runners.starter()
                .withUserConfiguration(TransactionsOutside.class)
                .run(parent -> Runners.inMemory()
                        .withParent(parent)
                        .withBean(Service.class)
                        .run(context -> assertThat(Startup.failureOf(context)).contains("is 5", "holdfast.aop.order")));
    }

    @Test
    void equal_orders_fail_startup() {
        Runners.inMemory()
                .withPropertyValues("holdfast.aop.order=5")
                .withUserConfiguration(TransactionsOutside.class)
                .withBean(Service.class)
                .run(
                        context -> assertThat(Startup.failureOf(context))
                                .contains(
                                        "holdfast.aop.order to less than 5, or @EnableTransactionManagement(order = …) to more than 5"));
    }

    @Test
    void order_does_not_matter_where_nothing_is_locked() {
        Runners.inMemory()
                .withUserConfiguration(TransactionsOutside.class)
                .withBean(Unlocked.class)
                .run(context -> assertThat(context).hasNotFailed());
    }
}
