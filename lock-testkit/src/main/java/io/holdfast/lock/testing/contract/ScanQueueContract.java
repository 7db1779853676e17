package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockWaiter;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.Followers;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.scan.StoreScan;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A scan of the locks and of their waiters. */
abstract class ScanQueueContract extends ContractFixture {

    ScanQueueContract(StoreUnderTest subject) {
        super(subject);
    }

    private List<LockStatus> scan() {
        Optional<StoreScan> opened = store().openScan(key.value());
        needs(OptionalCall.OPEN_SCAN, opened.isPresent());
        StoreScan scan = opened.orElseThrow();
        boolean more = true;
        while (more) {
            more = scan.step();
        }
        return scan.found();
    }

    private LockStatus only() {
        List<LockStatus> found = scan();
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    @Test
    void waiting_acquisitions_are_listed_in_their_order() {
        granted(alice);
        queue(bob);
        assertThat(only().queue()).containsExactly(waiter(bob, LockMode.EXCLUSIVE, false, false));
        queueShared(UNLIMITED, carol);
        queueFair(dave);

        LockStatus status = only();

        assertThat(status.waiters()).isEqualTo(3);
        assertThat(status.queue())
                .containsExactly(
                        waiter(bob, LockMode.EXCLUSIVE, false, false),
                        waiter(carol, LockMode.SHARED, false, false),
                        waiter(dave, LockMode.EXCLUSIVE, true, false));
        assertThat(store().inspect(key).queue()).isEqualTo(status.queue());
    }

    private static LockWaiter waiter(OwnerId owner, LockMode mode, boolean fair, boolean reserved) {
        return new LockWaiter(owner.clientId(), HERE.host(), HERE.pid(), HERE.thread(), mode, fair, reserved);
    }

    @Test
    void waiter_that_the_lock_is_reserved_for_is_a_holder_and_still_in_the_queue() {
        granted(alice);
        queue(bob);
        released(alice);
        assertThat(only().queue()).containsExactly(waiter(bob, LockMode.EXCLUSIVE, false, true));
        queue(carol);

        LockStatus status = only();

        assertThat(status.holders()).extracting(LockHolder::clientId).containsExactly(bob.clientId());
        assertThat(status.queue())
                .containsExactly(
                        waiter(bob, LockMode.EXCLUSIVE, false, true), waiter(carol, LockMode.EXCLUSIVE, false, false));
        assertThat(status.waiters()).isEqualTo(1);
    }

    @Test
    void waiters_that_died_are_not_listed() {
        granted(alice);
        queue(bob, carol);
        pass(HALF_ENTRY_TIMEOUT);
        long kept = System.nanoTime();
        keepEntries(carol);
        pass(HALF_ENTRY_TIMEOUT.plusMillis(1));

        LockStatus status = only();
        // On a slow machine with many keys, the scan may reach the lock only when the live waiter has died as well.
        assumeThat(Duration.ofNanos(System.nanoTime() - kept)).isLessThan(HALF_ENTRY_TIMEOUT.minusMillis(100));

        assertThat(status.queue()).extracting(LockWaiter::clientId).containsExactly(carol.clientId());
        assertThat(status.waiters()).isEqualTo(1);
    }

    private void keepEntry(OwnerId owner, int followers, Duration waited) {
        Map<OwnerId, Followers> reported = Map.of(owner, new Followers(followers, waited));
        assertThat(store().keepEntries(List.of(new EntryRequest(key, List.of(owner), reported))))
                .allMatch(EntryReply.Kept.class::isInstance);
    }

    private void assertWaiting(int waiters, Duration longest) {
        for (LockStatus status : List.of(store().inspect(key), only())) {
            assertThat(status.waiters()).isEqualTo(waiters);
            assertThat(status.longestWait()).isBetween(longest, longest.plus(Duration.ofMinutes(5)));
        }
    }

    @Test
    void callers_in_line_behind_a_waiter_count_as_its_client_last_reported_them() {
        granted(alice);
        queue(bob, carol);
        assertWaiting(2, Duration.ZERO);

        keepEntry(bob, 3, Duration.ofMinutes(10));
        assertWaiting(5, Duration.ofMinutes(10));
        keepEntry(carol, 20, Duration.ofMinutes(40));
        assertWaiting(25, Duration.ofMinutes(40));
        keepEntry(carol, 0, Duration.ofMinutes(60));

        assertWaiting(5, Duration.ofMinutes(60));
        assertThat(only().queue()).hasSize(2);
    }

    @Test
    void callers_in_line_behind_a_waiter_count_while_the_lock_is_reserved_for_it() {
        granted(alice);
        queue(bob);
        keepEntry(bob, 3, Duration.ofMinutes(10));

        released(alice);

        assertWaiting(3, Duration.ofMinutes(10));
    }

    @Test
    void callers_in_line_behind_a_waiter_that_is_gone_do_not_count() {
        granted(alice);
        queue(bob, carol);
        keepEntry(bob, 3, Duration.ofMinutes(10));
        keepEntry(carol, 4, Duration.ofMinutes(20));
        leave(bob);
        assertWaiting(5, Duration.ofMinutes(20));
        leave(carol);
        assertThat(store().inspect(key).longestWait()).isZero();

        queue(dave, erin);

        assertWaiting(2, Duration.ZERO);
        assertThat(store().inspect(key).longestWait()).isZero();
    }

    @Test
    void callers_in_line_behind_a_holder_count_beside_those_in_the_queue() {
        granted(alice);
        queue(bob);
        keepEntry(bob, 3, Duration.ofMinutes(10));

        store().renew(List.of(renewal(alice, 200, Duration.ofMinutes(20))));
        assertWaiting(204, Duration.ofMinutes(20));
        store().renew(List.of(renewal(alice, 0, Duration.ZERO)));

        assertWaiting(4, Duration.ofMinutes(10));
    }

    @Test
    void callers_in_line_behind_a_waiter_that_died_do_not_count() {
        granted(alice);
        queue(bob);
        keepEntry(bob, 3, Duration.ofMinutes(10));

        pass(LockStore.ENTRY_TIMEOUT);

        assertThat(store().inspect(key).waiters()).isZero();
        assertThat(only().waiters()).isZero();
        assertThat(only().longestWait()).isZero();
    }

    @Test
    void lock_without_holder_or_live_waiter_is_not_listed() {
        granted(alice);
        queue(bob);
        pass(LEASE.plus(LockStore.ENTRY_TIMEOUT));

        assertThat(scan()).isEmpty();
    }

    @Test
    void only_the_beginning_of_a_long_queue_is_listed() {
        granted(alice);
        OwnerId first = bob;
        OwnerId last = bob;
        for (int i = 0; i <= LockStatus.MAX_QUEUED; i++) {
            queue(last);
            last = next(last);
        }

        LockStatus status = only();

        assertThat(status.waiters()).isEqualTo(LockStatus.MAX_QUEUED + 1);
        assertThat(status.queue()).hasSize(LockStatus.MAX_QUEUED);
        assertThat(status.queue().get(0).clientId()).isEqualTo(first.clientId());
    }
}
