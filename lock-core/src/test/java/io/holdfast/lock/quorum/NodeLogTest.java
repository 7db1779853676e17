package io.holdfast.lock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.testing.CapturedLog;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One server of a quorum that fails makes no call fail, so it is logged. */
class NodeLogTest {

    private final CapturedLog captured = new CapturedLog(Node.class.getName(), Level.INFO);
    private final Node node =
            new Node(new QuorumNode("redis-3:6379", new InMemoryLockStore()), Runnable::run, Ticker.SYSTEM);

    @AfterEach
    void stopListening() {
        captured.close();
    }

    private void fail(@Nullable Throwable cause) {
        var unused = node.send(new OwnerId("client", 1), store -> {
            throw new LockStoreException("Redis at redis-3:6379 cannot be reached.", cause, false);
        });
    }

    private static void assertWarning(ILoggingEvent line) {
        assertThat(line.getLevel()).isEqualTo(Level.WARN);
        assertThat(line.getFormattedMessage())
                .contains("redis-3:6379 failed", "majority", "Redis at redis-3:6379 cannot be reached.");
    }

    @Test
    void failing_server_is_logged_once_with_the_failure() {
        fail(new IOException());
        fail(new IOException());
        assertThat(captured.events()).singleElement().satisfies(NodeLogTest::assertWarning);
    }

    @Test
    void what_is_no_failure_of_the_server_and_a_failure_after_the_end_are_not_logged() {
        fail(null);
        fail(new ConnectionsInUseException(new IOException()));
        node.close();
        fail(new IOException());
        assertThat(captured.events()).isEmpty();
    }
}
