package io.holdfast.lock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** With several managers, a method with a new transaction at one may still write in its caller's at another. */
class SeveralManagersTest extends TransactionFixture {

    private final PlatformTransactionManager second =
            new DataSourceTransactionManager(new ObservedDataSource(TestPostgres.dataSource()));

    @Override
    void customize(AnnotationConfigApplicationContext created) {
        created.registerBean("second", PlatformTransactionManager.class, () -> second, it -> it.setPrimary(true));
    }

    @Test
    void lock_is_held_until_the_transaction_of_the_caller_has_ended() {
        database.afterCommit = () -> assertThat(isFree()).isFalse();
        inTransaction(() -> {
            service.lockedNewTransaction(() -> write("in the caller's transaction"));
            assertThat(written()).isEmpty();
            assertThat(isFree()).isFalse();
        });
        assertThat(written()).hasSize(1);
        assertThat(isFree()).isTrue();
    }
}
