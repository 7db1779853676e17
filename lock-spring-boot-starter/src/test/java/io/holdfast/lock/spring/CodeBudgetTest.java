package io.holdfast.lock.spring;

import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.testing.CallPath;
import io.holdfast.lock.testing.CodeBudget;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** The size of the starter, and how many of its classes a reader opens to follow one call. */
class CodeBudgetTest {

    /** On Redis, the starter has the same part in a call. */
    private final ApplicationContextRunner application = Runners.inMemory().withUserConfiguration(Application.class);

    @Test
    void code_stays_within_its_budget() {
        CodeBudget.checkCodeLines();
    }

    @Test
    void annotated_call_stays_within_its_budget() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);

            check("annotated.classes", () -> orders.pay("41"));
        });
    }

    @Test
    void annotated_call_in_a_transaction_stays_within_its_budget() {
        application.run(context -> {
            Orders orders = context.getBean(Orders.class);
            TransactionTemplate transaction = context.getBean(TransactionTemplate.class);

            check(
                    "annotated.in-transaction.classes",
                    () -> transaction.executeWithoutResult(status -> orders.pay("41")));
        });
    }

    private static void check(String name, CallPath.Call call) throws Exception {
        List<String> ofStarter = CallPath.of(call).stream()
                .filter(type -> type.startsWith("io.holdfast.lock.spring."))
                .toList();
        CodeBudget.checkClasses(name, ofStarter, 0);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Application {

        @Bean
        Orders orders() {
            return new Orders();
        }

        @Bean
        PlatformTransactionManager transactions() {
            return new NoResources();
        }

        @Bean
        TransactionTemplate transaction(PlatformTransactionManager transactions) {
            return new TransactionTemplate(transactions);
        }
    }

    static class Orders {

        @DistributedLock(name = "order", key = "#id")
        public String pay(String id) {
            return id;
        }
    }

    /** Transactions of nothing. */
    private static final class NoResources extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1;

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}
