package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.hold.Handle;
import io.holdfast.lock.testing.CapturedLog;
import io.holdfast.lock.testing.FailingLog;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an operator reads: nothing while all is well, and one line for each loss. */
class LogTest extends EngineFixture {

    private static final LockRequest NAMED = LockRequest.of(KEY).name("order");

    private final CapturedLog captured = new CapturedLog("io.holdfast.lock", Level.DEBUG);

    @AfterEach
    void stopListening() {
        captured.close();
    }

    private List<String> aboveDebug() {
        return captured.events().stream()
                .filter(each -> each.getLevel().isGreaterOrEqual(Level.INFO))
                .map(each -> each.getLevel() + " " + each.getFormattedMessage())
                .toList();
    }

    @Test
    void ordinary_life_of_locks_logs_nothing_above_debug() throws InterruptedException {
        locks.execute(NAMED, () -> locks.execute(NAMED, () -> {}));
        try (LockHandle held = locks.acquire(NAMED.shared(2))) {
            held.extend(Duration.ofSeconds(40));
            assertThat(others.tryAcquire(NAMED)).isEmpty();
            assertThat(others.tryAcquire(NAMED.waitFor(Duration.ofSeconds(1)))).isEmpty();
        }
        locks.drain(Duration.ZERO);
        locks.close();

        assertThat(aboveDebug()).isEmpty();
    }

    @Test
    void loss_is_one_line_with_key_and_name_and_time_held_and_cause() {
        LockHandle lost = locks.acquire(NAMED);
        time.pass(Duration.ofSeconds(31));

        assertThat(lost.isHeld()).isFalse();
        assertThat(catchThrowable(lost::close)).isNotNull();
        assertThat(catchThrowable(lost::ensureHeld)).isNotNull();
        assertThat(aboveDebug())
                .singleElement()
                .asString()
                .startsWith("WARN Lock 'order:42' (order) (fencing token " + lost.fencingToken())
                .contains("lost after 31 s: ");
    }

    @Test
    void loss_of_a_lock_without_a_name_has_its_key() {
        LockHandle lost = locks.acquire(KEY);
        locks.close();

        assertThat(lost.isHeld()).isFalse();
        assertThat(aboveDebug()).singleElement().asString().startsWith("WARN Lock 'order:42' (fencing token");
    }

    /** A failure of Redis needs no stack trace; anything else does. */
    @Test
    void release_that_failed_is_one_line_and_has_a_stack_trace_only_if_the_failure_is_unexpected() {
        LockHandle one = locks.acquire(NAMED);
        store.beforeNextCallHere(() -> {
            throw new LockStoreException("no reply (on purpose)", null, true);
        });
        one.close();
        LockHandle another = locks.acquire("another");
        store.beforeNextCallHere(() -> {
            throw new IllegalStateException("unexpected (on purpose)");
        });
        another.close();

        assertThat(captured.events())
                .filteredOn(each -> each.getFormattedMessage().startsWith("Failed to release lock"))
                .extracting(
                        each -> each.getFormattedMessage().replaceAll(".*: ", ""),
                        each -> each.getThrowableProxy() != null)
                .containsExactly(tuple("no reply (on purpose)", false), tuple("unexpected (on purpose)", true));
    }

    @Test
    void release_is_retried_even_if_its_failure_cannot_be_logged() {
        LockHandle handle = locks.acquire(KEY);
        store.reachable(false);
        try (FailingLog log = new FailingLog(Handle.class)) {
            assertThat(catchThrowable(handle::close)).hasMessage(FailingLog.FAILURE);
        }

        store.reachable(true);

        Awaitility.await().until(this::isFree);
    }
}
