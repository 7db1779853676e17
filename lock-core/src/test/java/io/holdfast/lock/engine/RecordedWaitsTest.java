package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.ClientId;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.store.scan.WaitReport;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a client shows of the waits that all clients have recorded, and of itself. */
class RecordedWaitsTest extends EngineFixture {

    private static final LockKey WANTED = LockKey.of("wanted");
    private static final LockKey HELD = LockKey.of("held");

    @BeforeEach
    void recordTheWaitOfAnotherClient() {
        store.recordWaits("other", List.of(new WaitReport(1, false, wait(WANTED, HELD))));
    }

    private static NestedWait wait(LockKey wanted, LockKey held) {
        return new NestedWait(
                "other",
                "host",
                1,
                "main",
                wanted,
                LockMode.SHARED,
                Duration.ofSeconds(1),
                List.of(new NestedWait.HeldLock(held, 7, LockMode.EXCLUSIVE)));
    }

    @Test
    void waits_of_other_clients_are_shown_as_recorded() {
        assertThat(locks.waits().nestedWaits()).containsExactly(wait(WANTED, HELD));
        assertThat(locks.waits().deadlocks()).isEmpty();
    }

    @Test
    void keys_of_waits_are_shown_as_hashes_by_a_client_that_masks_keys() {
        LockEngine masking =
                LockEngine.builder(store).ticker(time).maskKeys(true).build();

        NestedWait shown = masking.waits().nestedWaits().get(0);

        assertThat(shown).hasToString(wait(WANTED.masked(), HELD.masked()).toString());
        assertThat(shown.toString()).doesNotContain("wanted");
        masking.close();
    }

    @Test
    void client_is_known_by_the_id_that_its_acquisitions_have() {
        locks.acquire(KEY).close();

        ClientId client = locks.client();

        assertThat(client.id()).isEqualTo(store.acquires.get(0).owner().clientId());
        assertThat(client.host()).isEqualTo(store.acquires.get(0).holder().host());
        assertThat(client.pid()).isEqualTo(ProcessHandle.current().pid());
        assertThat(locks.clientId()).isEqualTo(client.id());
    }
}
