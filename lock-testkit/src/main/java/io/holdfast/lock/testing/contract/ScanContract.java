package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.store.scan.StoreScan;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A scan of the locks that are held, if the store can list its locks. */
abstract class ScanContract extends ContractFixture {

    ScanContract(StoreUnderTest subject) {
        super(subject);
    }

    /** Scans to the end; if the scan never ends, neither does the test. */
    private List<LockStatus> scan(String keysStartingWith) {
        Optional<StoreScan> opened = store().openScan(keysStartingWith);
        needs(OptionalCall.OPEN_SCAN, opened.isPresent());
        StoreScan scan = opened.orElseThrow();
        while (scan.step()) {
            assertThat(scan.isComplete()).isTrue();
        }
        assertThat(scan.isComplete()).isTrue();
        List<LockStatus> found = scan.found();
        if (!keysStartingWith.isEmpty()) { // locks of other tests may end while the servers of a quorum are read
            assertThat(found).hasSize(scan.size());
        }
        return found;
    }

    private LockStatus only() {
        List<LockStatus> found = scan(key.value());
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    @Test
    void lock_that_is_held_is_listed_with_its_holder() {
        long token = granted(alice);

        LockStatus status = only();

        assertThat(status.key()).isEqualTo(key);
        assertThat(status.lastFencingToken()).isEqualTo(token);
        assertThat(status.waiters()).isZero();
        assertThat(status.queue()).isEmpty();
        LockHolder holder = status.holders().get(0);
        assertThat(status.holders()).hasSize(1);
        assertThat(holder.clientId()).isEqualTo(alice.clientId());
        assertThat(holder.host()).isEqualTo(HERE.host());
        assertThat(holder.pid()).isEqualTo(HERE.pid());
        assertThat(holder.thread()).isEqualTo(HERE.thread());
        assertThat(holder.mode()).isEqualTo(LockMode.EXCLUSIVE);
        assertThat(holder.fencingToken()).isEqualTo(token);
        assertThat(holder.remaining()).isPositive().isLessThanOrEqualTo(LEASE);
    }

    @Test
    void lock_that_was_released_is_not_listed() {
        granted(alice);
        released(alice);

        assertThat(scan(key.value())).isEmpty();
    }

    @Test
    void lock_whose_lease_has_ended_is_not_listed() {
        granted(alice);
        pass(LEASE.plusSeconds(1));

        assertThat(scan(key.value())).isEmpty();
    }

    @Test
    void shared_holders_are_listed_each_with_its_token() {
        long first = shared(alice, UNLIMITED);
        long second = shared(bob, UNLIMITED);

        assertThat(only().holders()).extracting(LockHolder::fencingToken).containsExactlyInAnyOrder(first, second);
        assertThat(only().holders()).extracting(LockHolder::mode).containsOnly(LockMode.SHARED);
    }

    @Test
    void only_keys_that_begin_like_that_are_listed() {
        LockKey another = beside("x");
        granted(alice);
        granted(store().acquire(oneTry(another, bob)));

        assertThat(scan(key.value())).extracting(LockStatus::key).containsExactlyInAnyOrder(key, another);
        assertThat(scan(another.value())).extracting(LockStatus::key).containsExactly(another);
        assertThat(scan("")).extracting(LockStatus::key).contains(key, another);
    }

    @Test
    void keys_of_any_characters_are_listed_as_they_are() {
        LockKey strange = LockKey.of(key.value() + ":%7B{*}[a]?\\\u20ac\n%");
        granted(store().acquire(oneTry(strange, alice)));

        assertThat(scan(strange.value())).extracting(LockStatus::key).containsExactly(strange);
    }

    @Test
    void callers_in_line_behind_a_holder_count_as_its_client_last_reported_them() {
        granted(alice);

        store().renew(List.of(renewal(alice, 200, Duration.ofMinutes(10))));
        assertThat(store().inspect(key).waiters()).isEqualTo(200);
        assertThat(store().inspect(key).longestWait()).isBetween(Duration.ofMinutes(10), Duration.ofMinutes(15));
        assertThat(only().waiters()).isEqualTo(200);
        assertThat(only().longestWait()).isBetween(Duration.ofMinutes(10), Duration.ofMinutes(15));
        assertThat(only().queue()).isEmpty();
        store().extend(renewal(alice, 0, Duration.ZERO));

        assertThat(store().inspect(key).waiters()).isZero();
        assertThat(store().inspect(key).longestWait()).isZero();
        assertThat(only().waiters()).isZero();
    }

    @Test
    void callers_in_line_behind_a_former_holder_do_not_count() {
        granted(alice);
        store().renew(List.of(renewal(alice, 200, Duration.ofMinutes(10))));
        released(alice);
        assertThat(store().inspect(key).waiters()).isZero();

        granted(bob);
        store().renew(List.of(renewal(bob, 0, Duration.ZERO)));

        assertThat(store().inspect(key).waiters()).isZero();
        assertThat(only().waiters()).isZero();
    }

    @Test
    void callers_in_line_behind_a_holder_whose_lease_has_ended_do_not_count() {
        granted(alice);
        store().renew(List.of(renewal(alice, 200, Duration.ofMinutes(10))));

        pass(LEASE);

        assertThat(store().inspect(key).waiters()).isZero();
        assertThat(store().inspect(key).longestWait()).isZero();
    }
}
