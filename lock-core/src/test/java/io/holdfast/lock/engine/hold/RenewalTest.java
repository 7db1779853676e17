package io.holdfast.lock.engine.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.testing.ManualThreads;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What one renewal does, and when the next one comes. */
class RenewalTest extends WatchdogFixture {

    private static final Duration THIRD = LEASE.dividedBy(3);

    private Duration toNextLook() {
        return Duration.ofNanos(watchdog.tick() - time.nanos());
    }

    @Test
    void renewed_hold_is_renewed_again_a_third_of_its_lease_after_the_call_was_sent() {
        acquired(KEY, LEASE, true);
        store.after = () -> time.pass(Duration.ofSeconds(2));

        passAtOnce(THIRD);

        assertThat(toNextLook()).isEqualTo(THIRD.minusSeconds(2));
        assertThat(events.calls)
                .singleElement()
                .satisfies(call -> assertThat(call.took()).isEqualTo(Duration.ofSeconds(2)));
    }

    @Test
    void holds_that_have_ended_before_the_call_are_not_part_of_it() {
        Hold hold = acquired(KEY, LEASE, true);
        time.pass(THIRD);
        watchdog.tick();
        hold.abandon();

        renewDue();

        assertThat(store.renewals).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"2000, 200", "9990, 999", "10010, 1000", "110, 11", "90, 10"})
    void hold_whose_renewal_failed_is_tried_again_after_a_tenth_of_its_lease_between_10_ms_and_a_second(
            int leaseMillis, int retryMillis) {
        Duration lease = Duration.ofMillis(leaseMillis);
        acquired(KEY, lease, true);
        store.reachable(false);

        passAtOnce(lease.dividedBy(3));

        assertThat(events.renewalFailed).hasSize(1);
        assertThat(toNextLook()).isEqualTo(Duration.ofMillis(retryMillis));
    }

    @Test
    void fixed_lease_is_looked_at_again_after_a_third_of_it_if_the_call_failed() {
        acquired(KEY, LEASE, false);
        store.reachable(false);

        passAtOnce(THIRD);

        assertThat(toNextLook()).isEqualTo(THIRD);
        assertThat(events.renewalFailed).isEmpty();
    }

    @Test
    void hold_that_a_store_could_not_renew_is_reported_and_tried_again_and_the_others_are_renewed() {
        StoreSpy sick = new StoreSpy(store) {
            @Override
            public List<RenewReply> renew(List<RenewRequest> requests) {
                List<RenewReply> replies = super.renew(requests);
                return IntStream.range(0, requests.size())
                        .mapToObj(i -> requests.get(i).key().equals(KEY)
                                ? new RenewReply.Failed("its server is down")
                                : replies.get(i))
                        .toList();
            }
        };
        ManualThreads threads = new ManualThreads();
        HeldLocks own = locks(sick, threads);
        Hold broken = unwatched(KEY, LEASE);
        Hold other = unwatched(LockKey.of("other"), LEASE);
        own.add(broken, new HashMap<>());
        own.add(other, new HashMap<>());

        time.pass(THIRD);
        own.watchdog.tick();
        threads.run();

        assertThat(own.watchdog.tick() - time.nanos())
                .isEqualTo(Duration.ofSeconds(1).toNanos());
        assertThat(other.remaining()).isEqualTo(LEASE);
        assertThat(events.renewed).containsExactly(1);
        assertThat(events.renewalFailed).singleElement().satisfies(event -> {
            assertThat(event.keys()).containsExactly(KEY);
            assertThat(event.failure()).hasMessageContaining("its server is down");
        });
        time.pass(LEASE);
        assertThat(broken.loss().failure()).hasMessageContaining("its server is down");
    }

    /** Listeners may take long. */
    @Test
    void next_renewal_is_planned_before_a_failure_is_reported() {
        Hold hold = acquired(KEY, LEASE, true);
        store.reachable(false);
        time.pass(THIRD);
        watchdog.tick();
        assertThat(hold.renewing).isTrue();
        events.onFailure = () -> assertThat(hold.renewing).isFalse();

        renewDue();

        assertThat(events.renewalFailed).hasSize(1);
    }

    /** The clock must not hand the same hold over again while its call is on its way, nor forget it afterwards. */
    @Test
    void hold_is_renewed_by_one_call_at_a_time() {
        Hold hold = acquired(KEY, LEASE, true);
        time.pass(THIRD);
        watchdog.tick();
        time.pass(Duration.ofSeconds(5));
        watchdog.tick();

        renewDue();

        assertThat(store.renewals).hasSize(1);
        assertThat(hold.renewing).isFalse();
    }
}
