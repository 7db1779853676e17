package io.holdfast.lock.spring.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.AllLocks;
import io.holdfast.lock.api.ClientId;
import io.holdfast.lock.api.Deadlock;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockScan;
import io.holdfast.lock.api.LockScanRequest;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockWaits;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.HeldKey;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Report;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Wait;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksReport.Query;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.endpoint.Show;

/** A report for somebody who may not see keys, wherever they occur. */
class HiddenKeysTest {

    private static final LockKey JANE = LockKey.of("order:jane@example.com");
    private static final LockKey JOHN = LockKey.of("account:john@example.com");
    private static final LockKey ALONE = LockKey.of("jim@example.com");

    private static final NestedWait WAIT = new NestedWait(
            "client",
            "web-1",
            1,
            "main",
            JANE,
            LockMode.EXCLUSIVE,
            Duration.ofSeconds(1),
            List.of(new NestedWait.HeldLock(JOHN, 5, LockMode.EXCLUSIVE)));

    private static final AllLocks LOCKS = new AllLocks() {
        @Override
        public LockScan scan(LockScanRequest request) {
            return new LockScan(List.of(lock(JANE), lock(JOHN), lock(ALONE)), true, 2);
        }

        private static LockStatus lock(LockKey key) {
            return new LockStatus(key, List.of(), List.of(), 3, 7, Duration.ofSeconds(5));
        }

        @Override
        public LockWaits waits() {
            return new LockWaits(List.of(WAIT), List.of(new Deadlock(List.of(WAIT))));
        }

        @Override
        public ClientId client() {
            return new ClientId("me", "here", 1);
        }
    };

    private final LocksReport all = new LocksReport(
            org.mockito.Mockito.mock(LocksEndpoint.class),
            new SharedScan<>(() -> SharedScan.Result.of(LOCKS), Duration.ofHours(1)),
            Show.NEVER);

    private Report report(String name, boolean withKeys) {
        return all.show(new Query(name, null, null, null, null, null), withKeys);
    }

    @Test
    void keys_of_locks_waiters_deadlocks_and_events_are_hidden() {
        all.onEvent(new LockEvent.Lost(JANE, "order", 5, Duration.ofSeconds(1), LossCause.EXPIRED, null));

        Report hidden = report("", false);

        assertThat(hidden.toString()).contains("******").doesNotContain("example.com");
        assertThat(hidden.nestedWaits()).extracting(Wait::key).containsExactly("******");
        assertThat(hidden.nestedWaits().get(0).holds()).extracting(HeldKey::key).containsExactly("******");
        assertThat(hidden.deadlocks().get(0).waits()).extracting(Wait::key).containsExactly("******");
        assertThat(hidden.deadlocks().get(0).waits().get(0).holds())
                .extracting(HeldKey::key)
                .containsExactly("******");
        assertThat(hidden.nestedWaits().get(0).holds().get(0).id())
                .isEqualTo(hidden.locks().get(1).id());
    }

    @Test
    void keys_are_shown_to_those_who_may_see_them() {
        Report shown = report("", true);

        assertThat(shown.nestedWaits()).extracting(Wait::key).containsExactly("order:jane@example.com");
        assertThat(shown.nestedWaits().get(0).holds())
                .extracting(HeldKey::key)
                .containsExactly("account:john@example.com");
        assertThat(shown.deadlocks().get(0).waits().get(0).holds())
                .extracting(HeldKey::key)
                .containsExactly("account:john@example.com");
    }

    @ParameterizedTest
    @CsvSource({
        "order, 1, 1",
        "order:jane@example.com, 1, 0",
        "order:anna@example.com, 0, 0",
        "jim@example.com, 1, 0",
        "'', 3, 3"
    })
    void number_of_locks_does_not_confirm_a_guessed_key(String name, int shown, int hidden) {
        assertThat(report(name, true).total()).isEqualTo(shown);
        assertThat(report(name, false).total()).isEqualTo(hidden);
    }

    @Test
    void damaged_locks_and_the_longest_wait_are_shown() {
        Report report = report("", true);

        assertThat(report.unreadable()).isEqualTo(2);
        assertThat(report.locks().get(0).waiters()).isEqualTo(3);
        assertThat(report.locks().get(0).longestWait()).isEqualTo("PT5S");
    }
}
