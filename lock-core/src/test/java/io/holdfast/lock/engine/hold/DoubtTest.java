package io.holdfast.lock.engine.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.store.RenewRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Somebody says that a lock was taken away; only the store knows. */
class DoubtTest extends WatchdogFixture {

    private static final Duration A_MOMENT = Duration.ofMillis(1);

    private Hold held() {
        Hold hold = acquired(KEY, LEASE, true);
        pass(Duration.ofSeconds(2));
        return hold;
    }

    private List<RenewRequest> asked() {
        return store.renewals.stream().flatMap(List::stream).toList();
    }

    @Test
    void lock_that_was_taken_away_is_lost_as_soon_as_somebody_says_so() {
        Hold hold = held();
        store.forceRelease(KEY);
        watchdog.doubt(hold);
        pass(A_MOMENT);
        assertThat(events.lost).extracting(loss -> loss.cause()).containsExactly(LossCause.REVOKED);
    }

    @Test
    void what_is_said_is_not_believed() {
        Hold hold = held();
        watchdog.doubt(hold);
        pass(A_MOMENT);
        assertThat(asked()).hasSize(1);
        assertThat(events.lost).isEmpty();
        assertThat(hold.isLive()).isTrue();
        pass(Duration.ofSeconds(40));
        assertThat(asked()).as("renewed every third of the lease again").hasSize(5);
    }

    @Test
    void message_about_one_lock_asks_for_no_other() {
        Hold hold = held();
        acquired(LockKey.of("order:43"), LEASE, true);
        locks.doubt(hold.owner().sequence());
        pass(A_MOMENT);
        assertThat(asked()).extracting(RenewRequest::key).containsExactly(KEY);
    }

    @Test
    void forged_messages_cost_a_renewal_every_tenth_of_a_second_at_most() {
        Hold hold = held();
        for (int i = 0; i < 1000; i++) {
            watchdog.doubt(hold);
            time.pass(A_MOMENT);
            watchdog.tick();
            renewDue();
            watchdog.doubt(hold);
        }
        assertThat(asked()).hasSizeBetween(9, 11);
    }

    /** Its answer may be older than the message. */
    @Test
    void renewal_that_is_under_way_does_not_settle_a_doubt() {
        Hold hold = held();
        store.afterNextCallHere(() -> {
            store.forceRelease(KEY);
            watchdog.doubt(hold);
        });
        pass(Duration.ofSeconds(10));
        assertThat(events.lost).extracting(loss -> loss.cause()).containsExactly(LossCause.REVOKED);
        assertThat(asked()).hasSize(2);
    }

    @Test
    void fixed_lease_is_asked_for_and_not_made_longer() {
        Hold hold = acquired(KEY, LEASE, false);
        pass(Duration.ofSeconds(2));
        watchdog.doubt(hold);
        pass(A_MOMENT);
        assertThat(asked())
                .singleElement()
                .satisfies(request -> assertThat(request.leaseMillis()).isEqualTo(1));
        assertThat(hold.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(28));
        assertThat(store.inspect(KEY).holder().orElseThrow().remaining()).isLessThanOrEqualTo(Duration.ofSeconds(28));

        store.forceRelease(KEY);
        pass(Duration.ofSeconds(1));
        watchdog.doubt(hold);
        pass(A_MOMENT);
        assertThat(events.lost).extracting(loss -> loss.cause()).containsExactly(LossCause.REVOKED);
    }

    @Test
    void closed_lease_is_not_asked_for() {
        Hold hold = held();
        close(hold);
        watchdog.doubt(hold);
        pass(Duration.ofSeconds(1));
        assertThat(asked()).isEmpty();
        assertThat(watched()).isEmpty();
    }

    /** Revocations are only worth a subscription for locks that are held for long. */
    @Test
    void client_subscribes_when_it_has_held_a_lock_for_a_second() {
        AtomicInteger subscriptions = new AtomicInteger();
        store.beforeListen = subscriptions::incrementAndGet;
        Hold brief = acquired(KEY, LEASE, true);
        pass(Duration.ofMillis(900));
        close(brief);
        pass(Duration.ofMillis(900));
        Hold longer = acquired(LockKey.of("order:43"), LEASE, true);
        passAtOnce(Duration.ofMillis(999));
        assertThat(subscriptions).hasValue(0);

        assertThat(watchdog.tick() - time.nanos()).isEqualTo(A_MOMENT.toNanos());
        passAtOnce(A_MOMENT);

        assertThat(subscriptions).hasValue(1);
        assertThat(longer.isLive()).isTrue();
    }
}
