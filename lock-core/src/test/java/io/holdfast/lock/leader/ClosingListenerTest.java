package io.holdfast.lock.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A listener of an election closes it, and does not wait for itself. */
@Timeout(60)
class ClosingListenerTest {

    private final InMemoryLockStore store = new InMemoryLockStore();
    private final LockEngine locks = LockEngine.builder(store).build();
    private final LeaderElection election = LeaderElection.on(locks);

    @AfterEach
    void close() {
        election.close();
        locks.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void close_by_a_listener_ends_while_it_runs_and_the_lock_is_released_after_it(boolean elected) throws Exception {
        Leadership leadership = election.join("reports", LockRequest.of("leader:reports"));
        CompletableFuture<Boolean> heldWhenClosed = new CompletableFuture<>();
        Runnable closing = () -> {
            election.close(); // gives up after 10 s, by which the lock would be free
            heldWhenClosed.complete(isHeld());
        };
        if (elected) {
            leadership.onElected(term -> closing.run());
        } else {
            leadership.onRevoked(term -> closing.run());
            leadership.onElected(term -> leadership.resign());
        }

        election.start();

        assertThat(heldWhenClosed.get(30, TimeUnit.SECONDS)).isTrue();
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> !isHeld());
    }

    private boolean isHeld() {
        return store.inspect(LockKey.of("leader:reports")).isHeld();
    }
}
