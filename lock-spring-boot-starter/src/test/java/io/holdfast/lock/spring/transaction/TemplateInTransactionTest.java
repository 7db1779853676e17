package io.holdfast.lock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The template releases a lock before the commit of its caller's transaction, and says so. */
@ExtendWith(OutputCaptureExtension.class)
class TemplateInTransactionTest extends TransactionFixture {

    private static final String WARNING = "was acquired and released inside";

    @Override
    void happened(LockEvent event) {
        super.happened(event);
        context.getBeanProvider(LockListener.class).forEach(listener -> listener.onEvent(event));
    }

    private static int warnings(CapturedOutput output) {
        return output.getOut().split(WARNING, -1).length - 1;
    }

    @Test
    void lock_of_execute_inside_a_transaction_is_warned_of_once(CapturedOutput output) {
        for (int i = 0; i < 2; i++) {
            inTransaction(() -> locks.execute(KEY, () -> write("a")));
        }
        assertThat(warnings(output)).isOne();
        assertThat(output)
                .contains("Lock 'stock' was acquired and released inside a transaction, before the commit")
                .contains("REQUIRES_NEW", "@DistributedLock");
    }

    @Test
    void handle_and_view_are_warned_of(CapturedOutput output) {
        inTransaction(() -> {
            try (LockHandle lock = locks.acquire("handle")) {
                assertThat(lock.isHeld()).isTrue();
            }
            Lock view = locks.getLock("view");
            view.lock();
            view.unlock();
        });
        assertThat(output).contains("Lock 'handle' was acquired", "Lock 'view' was acquired");
    }

    @Test
    void keys_of_one_name_are_warned_of_once(CapturedOutput output) {
        inTransaction(() -> {
            locks.execute("order:1", () -> {});
            locks.execute("order:2", () -> {});
            locks.execute(LockRequest.of("a").name("import"), () -> {});
            locks.execute(LockRequest.of("b").name("import"), () -> {});
        });
        assertThat(warnings(output)).isEqualTo(2);
    }

    @Test
    void warnings_of_unnamed_locks_are_few(CapturedOutput output) {
        inTransaction(() -> {
            for (int i = 0; i < 2 * JoinedTransactions.MAX_EARLY_WARNINGS; i++) {
                locks.execute("key" + i, () -> {});
            }
        });
        assertThat(warnings(output)).isEqualTo(JoinedTransactions.MAX_EARLY_WARNINGS);
    }

    @Test
    void lock_that_spans_the_transaction_is_not_warned_of(CapturedOutput output) {
        locks.execute(KEY, () -> inTransaction(() -> locks.execute(KEY, () -> write("a"))));
        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void work_in_a_transaction_of_its_own_is_not_warned_of(CapturedOutput output) {
        inTransaction(() -> locks.execute(
                KEY, () -> inTransaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW, () -> write("a"))));
        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void transaction_goes_on_to_be_watched_after_it_was_suspended(CapturedOutput output) {
        inTransaction(() -> {
            locks.execute("first", () -> inTransaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW, () -> {}));
            locks.execute("second", () -> write("a"));
        });
        assertThat(warnings(output)).isOne();
        assertThat(output).contains("Lock 'second' was acquired");
    }

    @Test
    void read_only_transaction_is_not_warned_of(CapturedOutput output) {
        var reading = new TransactionTemplate(manager);
        reading.setReadOnly(true);
        reading.executeWithoutResult(status -> locks.execute(KEY, () -> {}));
        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void release_after_the_commit_is_not_warned_of(CapturedOutput output) {
        inTransaction(() -> {
            LockHandle lock = locks.acquire(KEY);
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    lock.close();
                }
            });
        });
        assertThat(isFree()).isTrue();
        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void locked_methods_are_not_warned_of(CapturedOutput output) {
        inTransaction(() -> {
            service.locked(() -> write("a"));
            service.otherLocked(() -> locks.execute(KEY, () -> {}));
        });
        inTransaction(() -> service.lockedNewTransaction(() -> write("b")));
        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void starter_warns(CapturedOutput output) {
        Runners.inMemory().run(application -> {
            LockTemplate template = application.getBean(LockTemplate.class);
            inTransaction(() -> template.execute(KEY, () -> {}));
        });
        assertThat(output).contains("Lock 'stock' was acquired and released inside a transaction");
    }
}
