package io.holdfast.lock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Who wants so gets locks back before the caller's transaction ends. */
@ExtendWith(OutputCaptureExtension.class)
class EarlyReleaseTest extends TransactionFixture {

    @Override
    String[] properties() {
        return new String[] {"holdfast.transactions.release-after-completion=false"};
    }

    @Override
    void happened(LockEvent event) {
        super.happened(event);
        context.getBeanProvider(LockListener.class).forEach(listener -> listener.onEvent(event));
    }

    @Test
    void lock_is_released_when_its_method_ends() {
        inTransaction(() -> {
            service.locked(() -> write("a"));
            assertThat(isFree()).isTrue();
        });
    }

    @Test
    void lock_of_the_transactional_method_still_spans_its_transaction() {
        database.afterCommit = () -> assertThat(isFree()).isFalse();
        service.lockedTransaction(() -> write("a"));
        assertThat(written()).containsExactly("a");
    }

    @Test
    void it_is_warned_of_once(CapturedOutput output) {
        for (int i = 0; i < 2; i++) {
            inTransaction(() -> service.locked(() -> {}));
        }
        assertThat(output.getOut().split("releases it before the commit", -1)).hasSize(2);
        assertThat(output).contains("Service.locked", "holdfast.transactions.release-after-completion=true");
    }

    @Test
    void it_is_not_warned_of_as_a_lock_of_the_template(CapturedOutput output) {
        inTransaction(() -> service.locked(() -> {}));
        assertThat(output).doesNotContain("was acquired and released inside");
    }
}
