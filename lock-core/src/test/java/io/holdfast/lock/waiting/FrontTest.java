package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a caller in front of its line knows of the store and waits for, and what it leaves behind to the next one. */
class FrontTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final HolderInfo HERE = new HolderInfo("host", 1, "main");
    private static final OwnerId OTHER = new OwnerId("other", 1);
    private static final LockStoreException FAILURE = StoreSpy.unreachable();
    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final Duration TOLERANCE = Duration.ofSeconds(10);

    private final FakeTicker time = new FakeTicker();
    private final StoreSpy store = new StoreSpy(new InMemoryLockStore(time, time));
    private final LocalQueue queue =
            new LocalQueue(store, "client", new AtomicLong()::incrementAndGet, time, false, sequence -> {});
    private final List<String> woken = new ArrayList<>();
    private final java.util.Map<LocalQueue.Place, String> names = new java.util.HashMap<>();
    private final LocalQueue.Place first = enter("first");
    private final Front front = front(first);

    private LocalQueue.Place enter(String name) {
        LocalQueue.Place place = queue.enter(KEY, "terms", () -> woken.add(name));
        names.put(place, name);
        return place;
    }

    private LocalQueue.Place alone(String name) {
        LocalQueue.Place place = queue.enter(KEY, null, () -> woken.add(name));
        names.put(place, name);
        return place;
    }

    private Front front(LocalQueue.Place place) {
        return new Front(queue, store, time, KEY, place, () -> woken.add(names.get(place)));
    }

    private Budget budget() {
        return Budget.of(time, WAIT.toNanos()).tolerating(TOLERANCE.toNanos());
    }

    private Duration look(Front asking) {
        return Duration.ofNanos(asking.look(budget()));
    }

    private void heldByOther() {
        store.acquire(Requests.exclusive(KEY, OTHER, WAIT.toMillis(), HERE, false));
    }

    private void releasedByOther() {
        store.release(new ReleaseRequest(KEY, OTHER));
    }

    /** Asks for a lock that is held, and has an entry then. */
    private void queue(Front asking) {
        long askedAt = time.nanos();
        asking.asking();
        AcquireReply reply = store.acquire(Requests.exclusive(KEY, asking.owner(), WAIT.toMillis(), HERE, true));
        asking.answered(true);
        asking.queued(askedAt, (AcquireReply.Held) reply);
    }

    // What the front before it has left behind.

    @Test
    void entry_is_left_to_the_next_front_which_the_store_has_to_forget_then() {
        LocalQueue.Place next = enter("next");
        heldByOther();
        queue(front);

        assertThat(front.passEntry()).isTrue();

        Front inherited = front(next);
        assertThat(woken).containsExactly("next");
        assertThat(inherited.owner()).isEqualTo(front.owner());
        assertThat(inherited.closeEntry()).isTrue();
    }

    @Test
    void front_without_a_predecessor_has_nothing_that_the_store_should_forget() {
        assertThat(front.closeEntry()).isFalse();
        assertThat(front.isStoreFailing()).isFalse();
        assertThat(front.hasMetFailure()).isFalse();
    }

    @Test
    void entry_that_nobody_stands_in_line_for_is_not_left_behind() {
        assertThat(front.passEntry()).isFalse();
    }

    @Test
    void entry_of_a_call_that_may_still_arrive_is_not_left_behind() {
        LocalQueue.Place next = enter("next");
        front.markResent();

        assertThat(front.passEntry()).isFalse();

        assertThat(next.isInLine()).isTrue();
    }

    @Test
    void failure_is_left_behind_with_its_beginning() {
        LocalQueue.Place next = enter("next");
        front.fails(time.nanos(), FAILURE);
        time.pass(Duration.ofSeconds(4));
        front.passOn(time.nanos(), FAILURE);

        Front inherited = front(next);

        assertThat(inherited.isStoreFailing()).isTrue();
        assertThat(inherited.hasMetFailure()).isTrue();
        assertThat(look(inherited)).isEqualTo(Duration.ofSeconds(6));
    }

    @Test
    void failure_that_the_front_met_only_once_counts_from_when_it_asked() {
        LocalQueue.Place next = enter("next");
        long askedAt = time.nanos();
        time.pass(Duration.ofSeconds(4));
        front.passOn(askedAt, FAILURE);

        assertThat(look(front(next))).isEqualTo(Duration.ofSeconds(6));
    }

    @Test
    void failure_that_is_inherited_is_known_to_those_in_line() {
        LocalQueue.Place next = enter("next");
        LocalQueue.Place last = enter("last");
        front.passOn(time.nanos(), FAILURE);

        front(next);
        time.pass(Duration.ofSeconds(1));

        assertThat(last.look(budget())).isEqualTo(Duration.ofSeconds(9).toNanos());
    }

    // Asks.

    @Test
    void block_of_tokens_is_reserved_for_those_in_line_only() {
        assertThat(front.tokens(30_000)).isOne();

        enter("next");

        assertThat(front.tokens(30_000)).isEqualTo(100_000);
        assertThat(front.tokens(40)).isEqualTo(40_000);
    }

    @Test
    void entry_is_kept_as_long_as_the_store_was_asked_to_keep_it() {
        front.answered(true);
        assertThat(front.closeEntry()).isTrue();

        front.answered(false);
        assertThat(front.closeEntry()).isFalse();
    }

    @Test
    void answer_ends_the_failure_for_the_front_and_for_those_in_line() {
        LocalQueue.Place next = enter("next");
        front.fails(time.nanos(), FAILURE);

        front.answered(true);

        assertThat(front.isStoreFailing()).isFalse();
        assertThat(front.hasMetFailure()).isFalse();
        assertThat(next.look(budget())).isEqualTo(WAIT.toNanos());
    }

    @Test
    void answer_is_known_to_those_who_come_later() {
        assertThat(front.isLineAnswered()).isFalse();
        front.answered(false);
        LocalQueue.Place next = enter("next");
        first.leave();

        assertThat(front(next).isLineAnswered()).isTrue();
    }

    @Test
    void who_stands_in_no_line_learns_nothing_from_it() {
        Front single = front(alone("single"));

        single.answered(true);

        assertThat(single.isLineAnswered()).isFalse();
    }

    @Test
    void holder_is_known_to_those_in_line() {
        LocalQueue.Place next = enter("next");
        heldByOther();
        LockHolder holder = store.inspect(KEY).holder().orElseThrow();
        assertThat(next.blockedBy()).isEmpty();

        front.blockedBy(store.inspect(KEY).holder());

        assertThat(next.blockedBy()).contains(holder);
    }

    @Test
    void acquisition_that_starts_over_is_another_one_with_the_same_failure() {
        OwnerId before = front.owner();
        front.answered(true);
        front.markResent();
        front.fails(time.nanos(), FAILURE);

        front.startOver();

        assertThat(front.owner()).isNotEqualTo(before);
        assertThat(front.isResent()).isFalse();
        assertThat(front.closeEntry()).isFalse();
        assertThat(front.isStoreFailing()).isTrue();
    }

    @Test
    void acquisition_that_starts_over_while_nothing_fails_knows_of_no_failure() {
        front.startOver();

        assertThat(front.isStoreFailing()).isFalse();
    }

    // Waits.

    @Test
    void waiter_is_woken_by_its_grant_which_it_claims_once() {
        heldByOther();
        queue(front);
        assertThat(look(front)).isEqualTo(WAIT);
        assertThat(front.claim()).isNull();

        releasedByOther();

        assertThat(woken).containsExactly("first");
        assertThat(look(front)).isZero();
        assertThat(Objects.requireNonNull(front.claim()).reservation().token()).isPositive();
        front.asking();
        assertThat(front.claim()).isNull();
    }

    @Test
    void claim_that_is_used_ends_the_failure_and_leaves_the_entry_to_be_given_up() {
        heldByOther();
        queue(front);
        front.fails(time.nanos(), FAILURE);

        front.claimed();

        assertThat(front.hasMetFailure()).isFalse();
        assertThat(front.closeEntry()).isTrue();
    }

    @Test
    void waiter_that_has_stopped_is_not_woken() {
        heldByOther();
        queue(front);
        front.stopWaiting();

        releasedByOther();

        assertThat(woken).isEmpty();
    }

    @Test
    void entry_at_the_store_is_polled_until_it_is_closed() {
        heldByOther();
        queue(front);
        time.pass(Duration.ofMillis(500));
        queue.entries().tick();
        assertThat(store.polls).isNotEmpty();
        store.polls.clear();

        front.closeEntry();
        time.pass(Duration.ofSeconds(2));
        queue.entries().tick();

        assertThat(store.polls).isEmpty();
    }

    @Test
    void failed_poll_is_known_to_the_front_and_to_those_in_line() {
        LocalQueue.Place next = enter("next");
        heldByOther();
        queue(front);
        time.pass(Duration.ofMillis(500));
        store.reachable(false);
        queue.entries().tick();

        assertThat(woken).containsExactlyInAnyOrder("first", "next");
        assertThat(front.isStoreFailing()).isTrue();
        assertThat(look(front)).isEqualTo(TOLERANCE);
        assertThat(next.look(budget())).isEqualTo(TOLERANCE.toNanos());
    }

    @Test
    void wait_for_a_connection_ends_with_its_pause_or_with_the_budget() {
        front.waitForConnection(Duration.ofMillis(20).toNanos());

        assertThat(look(front)).isEqualTo(Duration.ofMillis(20));
        assertThat(front.look(Budget.of(time, 7))).isEqualTo(7);
        time.pass(Duration.ofMillis(15));
        assertThat(look(front)).isEqualTo(Duration.ofMillis(5));
        time.pass(Duration.ofMillis(6));
        assertThat(look(front)).isZero();

        front.stopWaiting();
        assertThat(look(front)).isEqualTo(WAIT);
    }

    @Test
    void closed_client_wakes_who_waits_for_a_connection() {
        front.waitForConnection(Duration.ofMillis(20).toNanos());

        queue.close();

        assertThat(woken).containsExactly("first");
        assertThatThrownBy(() -> look(front)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closed_client_wakes_who_stands_in_line() {
        LocalQueue.Place next = enter("next");

        queue.close();

        assertThat(woken).containsExactly("next");
        assertThatThrownBy(() -> next.look(budget())).isInstanceOf(IllegalStateException.class);
    }

    // The store fails.

    @Test
    void grant_that_arrives_while_the_store_fails_is_used() {
        heldByOther();
        queue(front);
        front.fails(time.nanos(), FAILURE);

        releasedByOther();

        assertThat(look(front)).isZero();
        assertThat(front.claim()).isNotNull();
    }

    @Test
    void failure_counts_from_its_beginning() {
        front.fails(time.nanos(), FAILURE);
        time.pass(Duration.ofSeconds(4));
        front.fails(time.nanos(), FAILURE);

        assertThat(look(front)).isEqualTo(Duration.ofSeconds(6));
    }

    @Test
    void first_of_an_outage_rests_and_the_next_one_goes_on_when_it_leaves() {
        Front other = front(alone("other"));
        front.fails(time.nanos(), FAILURE);
        other.fails(time.nanos(), FAILURE);
        front.joinOutage();
        other.joinOutage();

        assertThat(look(front)).isBetween(Duration.ofMillis(50), Duration.ofMillis(100));
        time.pass(Duration.ofMillis(100));
        assertThat(look(front)).isZero();
        assertThat(look(other)).isEqualTo(Duration.ofSeconds(1));

        front.stopWaiting();

        assertThat(woken).containsExactly("other");
        assertThat(look(other)).isZero();
    }

    @Test
    void store_that_has_recovered_is_asked_by_the_next_one_at_once() {
        Front other = front(alone("other"));
        for (Front each : List.of(front, other)) {
            each.fails(time.nanos(), FAILURE);
            each.joinOutage();
        }
        front.failedAgain();
        assertThat(look(front)).isBetween(Duration.ofMillis(100), Duration.ofMillis(200));

        front.recovered();

        assertThat(woken).containsExactly("other");
        assertThat(look(other)).isZero();
    }

    @Test
    void outage_that_the_store_has_recovered_from_needs_no_rest() {
        front.joinOutage();

        assertThat(look(front)).isZero();
    }

    @Test
    void outage_is_too_long_when_the_budget_is_spent() {
        Budget brief = Budget.of(time, WAIT.toNanos()).tolerating(TOLERANCE.toNanos());
        front.fails(time.nanos(), FAILURE);
        time.pass(TOLERANCE.minusNanos(1));
        assertThat(front.isOutageTooLong(brief)).isFalse();

        time.pass(Duration.ofNanos(1));
        assertThatThrownBy(() -> front.isOutageTooLong(brief))
                .isInstanceOf(LockStoreException.class)
                .hasCause(FAILURE);

        front.answered(true);
        assertThat(front.isOutageTooLong(brief)).isFalse();
        time.pass(WAIT);
        assertThat(front.isOutageTooLong(brief)).isTrue();
    }
}
