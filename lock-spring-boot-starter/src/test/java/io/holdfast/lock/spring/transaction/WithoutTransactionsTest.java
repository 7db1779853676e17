package io.holdfast.lock.spring.transaction;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;

/** An application need not have Spring's transactions. */
class WithoutTransactionsTest {

    private static final String OURS = "io.holdfast.lock.spring";

    public static class Service {
        @DistributedLock(key = "'key'")
        public boolean isLocked(LockTemplate locks) {
            return locks.inspect("key").holder().isPresent();
        }
    }

    @Test
    void methods_are_locked() {
        Runners.inMemory()
                .withClassLoader(new FilteredClassLoader("org.springframework.transaction"))
                .withBean(Service.class)
                .run(context -> {
                    assertThat(context).doesNotHaveBean(CallerTransactions.class);
                    assertThat(context).doesNotHaveBean(CommitCheck.class);
                    assertThat(context.getBean(Service.class).isLocked(context.getBean(LockTemplate.class)))
                            .isTrue();
                });
    }

    @Test
    void only_what_is_made_for_transactions_names_their_types() {
        JavaClasses classes = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages(OURS);
        noClasses()
                .that()
                .resideOutsideOfPackages(OURS + ".transaction", OURS + ".fence")
                .and()
                .doNotHaveSimpleName("LockTransactionAutoConfiguration")
                .and()
                .haveNameNotMatching(".*LockFenceAutoConfiguration.*")
                .or()
                .haveSimpleName("CallerTransactions")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.transaction..")
                .orShould()
                .dependOnClassesThat()
                .haveSimpleName("JoinedTransactions")
                .orShould()
                .dependOnClassesThat()
                .haveSimpleName("CommitCheck")
                .check(classes);
    }
}
