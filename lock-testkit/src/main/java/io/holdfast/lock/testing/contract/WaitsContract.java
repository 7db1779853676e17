package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.scan.RecordedWait;
import io.holdfast.lock.store.scan.WaitReport;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The record of those who wait for a lock while they hold others, if the store keeps one. */
abstract class WaitsContract extends ContractFixture {

    /** Twice this time exceeds the timeout. */
    private static final Duration MOST_OF_WAITS_TIMEOUT =
            LockStore.WAITS_TIMEOUT.multipliedBy(2).dividedBy(3);

    WaitsContract(StoreUnderTest subject) {
        super(subject);
    }

    @AfterEach
    void forget() {
        store().recordWaits(alice.clientId(), List.of());
        store().recordWaits(bob.clientId(), List.of());
    }

    private NestedWait wait(String clientId, LockKey wanted) {
        return new NestedWait(
                clientId,
                HERE.host(),
                HERE.pid(),
                HERE.thread(),
                wanted,
                LockMode.EXCLUSIVE,
                Duration.ofSeconds(1),
                List.of(
                        new NestedWait.HeldLock(key, 7, LockMode.EXCLUSIVE),
                        new NestedWait.HeldLock(beside("x"), 8, LockMode.SHARED)));
    }

    private WaitReport report(String clientId, long id) {
        return new WaitReport(id, false, wait(clientId, beside("wanted")));
    }

    private void record(String clientId, WaitReport... reports) {
        assumeThat(offers(OptionalCall.RECORD_WAITS)).isTrue();
        store().recordWaits(clientId, List.of(reports));
    }

    private List<RecordedWait> recorded(String clientId) {
        return store().recordedWaits().stream()
                .filter(wait -> wait.report().what().clientId().equals(clientId))
                .toList();
    }

    private RecordedWait only(String clientId) {
        List<RecordedWait> found = recorded(clientId);
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    @Test
    void wait_is_read_as_it_was_recorded() {
        WaitReport reported = report(alice.clientId(), 5);
        record(alice.clientId(), reported);

        WaitReport read = only(alice.clientId()).report();

        assertThat(read.id()).isEqualTo(5);
        assertThat(read.ended()).isFalse();
        assertThat(read.what())
                .usingRecursiveComparison()
                .ignoringFields("waitedFor")
                .isEqualTo(reported.what());
        assertThat(read.what().waitedFor()).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void masked_key_and_key_of_any_characters_are_read_as_they_were_recorded() {
        LockKey strange = LockKey.of(key.value() + " %0A\n%25:\u20ac");
        record(
                alice.clientId(),
                new WaitReport(1, false, wait(alice.clientId(), strange)),
                new WaitReport(2, false, wait(alice.clientId(), strange.masked())));

        List<LockKey> keys = recorded(alice.clientId()).stream()
                .map(wait -> wait.report().what().key())
                .toList();

        assertThat(keys).extracting(LockKey::isMasked).containsExactlyInAnyOrder(false, true);
        assertThat(keys).extracting(LockKey::value).contains(strange.value());
    }

    @Test
    void record_replaces_the_former_one_of_the_same_client_only() {
        record(bob.clientId(), report(bob.clientId(), 1));
        record(alice.clientId(), report(alice.clientId(), 1), report(alice.clientId(), 2));

        record(alice.clientId(), report(alice.clientId(), 2));

        assertThat(only(alice.clientId()).report().id()).isEqualTo(2);
        assertThat(only(bob.clientId()).report().id()).isEqualTo(1);
    }

    @Test
    void empty_record_removes_the_former_one() {
        record(alice.clientId(), report(alice.clientId(), 1));

        store().recordWaits(alice.clientId(), List.of());

        assertThat(recorded(alice.clientId())).isEmpty();
    }

    @Test
    void first_record_proves_no_moment_and_the_second_one_proves_the_time_between() {
        record(alice.clientId(), report(alice.clientId(), 1));
        RecordedWait first = only(alice.clientId());
        assertThat(first.seenMicros()).isLessThan(first.sinceMicros());

        record(alice.clientId(), report(alice.clientId(), 1));

        RecordedWait second = only(alice.clientId());
        assertThat(second.isAt(second.sinceMicros())).isTrue();
    }

    /** Times of two reads are not compared, since a quorum may answer them from different servers. */
    @Test
    void ended_wait_is_marked_and_proves_nothing_more() {
        WaitReport ended = new WaitReport(1, true, wait(alice.clientId(), beside("wanted")));
        record(alice.clientId(), report(alice.clientId(), 1));
        record(alice.clientId(), report(alice.clientId(), 1));
        pass(Duration.ofMillis(1));
        record(bob.clientId(), report(bob.clientId(), 1));
        record(alice.clientId(), ended);
        record(alice.clientId(), ended);

        List<RecordedWait> all = store().recordedWaits();

        RecordedWait former = of(alice.clientId(), all);
        assertThat(former.report().ended()).isTrue();
        assertThat(former.isAt(former.sinceMicros())).isTrue();
        assertThat(former.isAt(of(bob.clientId(), all).sinceMicros())).isFalse();
    }

    private static RecordedWait of(String clientId, List<RecordedWait> all) {
        return all.stream()
                .filter(wait -> wait.report().what().clientId().equals(clientId))
                .findAny()
                .orElseThrow();
    }

    @Test
    void record_that_is_not_repeated_is_dropped() {
        record(alice.clientId(), report(alice.clientId(), 1));

        pass(LockStore.WAITS_TIMEOUT.plusSeconds(1));

        assertThat(recorded(alice.clientId())).isEmpty();
    }

    @Test
    void record_that_is_not_repeated_is_dropped_while_another_client_repeats_its_own() {
        record(bob.clientId(), report(bob.clientId(), 1));
        record(alice.clientId(), report(alice.clientId(), 1));
        pass(MOST_OF_WAITS_TIMEOUT);
        record(bob.clientId(), report(bob.clientId(), 1));

        pass(MOST_OF_WAITS_TIMEOUT);

        assertThat(recorded(alice.clientId())).isEmpty();
    }
}
