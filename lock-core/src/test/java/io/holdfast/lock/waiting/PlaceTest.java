package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.Followers;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A caller's place, from the line to the lock, and who comes after it. */
class PlaceTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final OwnerId OWNER = new OwnerId("client", 7);
    private static final Duration MILLI = Duration.ofMillis(1);

    private final FakeTicker time = new FakeTicker();
    private final StoreSpy store = new StoreSpy(new InMemoryLockStore(time, time));
    private final LocalQueue lines = new LocalQueue(
            new EntryKeeper(store, "client", time, false, sequence -> {}), new AtomicLong()::incrementAndGet, time);
    private final EntryKeeper entries = lines.entries;
    private final long deadline = time.nanos() + TimeUnit.SECONDS.toNanos(30);
    private final List<String> woken = new ArrayList<>();
    private final LocalQueue.Place first = enter("first", "terms");
    private final LocalQueue.Place second = enter("second", "terms");
    private final LocalQueue.Place third = enter("third", "terms");

    private LocalQueue.Place enter(String name, String terms) {
        return lines.enter(KEY, terms, () -> woken.add(name));
    }

    private long look(LocalQueue.Place place) {
        return place.look(Budget.of(time, 1_000));
    }

    private void granted(LocalQueue.Place place) {
        place.granted(Cohorts.grant(OWNER, 1_000, 100_000, Waiters.NONE, true));
    }

    @Test
    void one_is_in_front_and_the_others_in_line() {
        assertThat(first.isInLine()).isFalse();
        assertThat(second.isInLine()).isTrue();
        assertThat(look(first)).isZero();
        assertThat(look(second)).isEqualTo(1_000);
        assertThat(first.hasFollowers()).isTrue();
    }

    @Test
    void longest_wait_is_that_of_the_front_or_if_it_has_the_lock_that_of_the_first_behind_it() {
        Duration aSecond = Duration.ofSeconds(1);
        time.pass(aSecond);
        enter("fourth", "terms");
        time.pass(aSecond);
        assertThat(first.followers()).isEqualTo(new Followers(3, aSecond.multipliedBy(2)));

        first.leave();
        second.leave();
        granted(third);
        assertThat(third.followers()).isEqualTo(new Followers(1, aSecond));
    }

    @Test
    void who_leaves_the_line_is_over_and_who_is_in_front_cannot() {
        assertThat(second.isOver()).isFalse();
        assertThat(second.cancel()).isTrue();
        assertThat(second.isOver()).isTrue();

        assertThat(first.cancel()).isFalse();
        assertThat(first.isOver()).isFalse();
        first.leave();
        assertThat(first.isOver()).isTrue();
        assertThat(third.isInLine()).isFalse();
        assertThat(third.hasFollowers()).isFalse();
    }

    @Test
    void number_is_that_of_the_time_when_the_wait_began() {
        assertThat(List.of(first.number(), second.number(), third.number())).containsExactly(0, 1, 2);

        first.entry();
        LocalQueue.Place early = enter("early", "terms");
        early.cancel();
        first.refused(queued(5));
        LocalQueue.Place fourth = enter("fourth", "terms");
        first.refused(queued(3));
        LocalQueue.Place fifth = enter("fifth", "terms");
        granted(first);
        LocalQueue.Place sixth = enter("sixth", "terms");
        first.leave();
        second.entry();
        LocalQueue.Place seventh = enter("seventh", "terms");
        second.refused(queued(2));

        assertThat(List.of(first.number(), second.number(), early.number())).containsExactly(5, 1, 1 + 3);
        assertThat(List.of(fourth.number(), fifth.number(), sixth.number(), seventh.number()))
                .containsExactly(5 + 3, 3 + 4, 5, 1 + 5);
    }

    private static AcquireReply.Held queued(int number) {
        return new AcquireReply.Held(Optional.empty(), 1, MILLI, number, false);
    }

    @Test
    void refusal_of_the_store_ends_all_in_line() {
        first.fail(new LockStoreException("out of order", null, false));

        for (LocalQueue.Place refused : List.of(second, third)) {
            assertThatThrownBy(() -> look(refused)).hasMessageContaining("out of order");
            assertThat(refused.isOver()).isTrue();
        }
        assertThat(lines.lines).isEmpty();
    }

    @Test
    void lock_is_handed_off_with_the_tokens_that_its_grant_has_reserved() {
        granted(first);
        assertThat(first.lastFencingToken()).isEqualTo(1_000);
        time.pass(MILLI);

        assertThat(first.handOff(deadline)).isTrue();

        assertThat(woken).containsExactly("second");
        var taken = Objects.requireNonNull(second.takeHandoff());
        assertThat(taken.owner()).isEqualTo(OWNER);
        assertThat(taken.token()).isEqualTo(2_000);
        assertThat(taken.deadline()).isEqualTo(deadline);
        assertThat(second.takeHandoff()).isNull();
        assertThat(second.lastFencingToken()).isEqualTo(2_000);
    }

    @Test
    void lock_that_was_never_granted_is_not_handed_off() {
        assertThat(first.handOff(deadline)).isFalse();
        assertThat(first.lastFencingToken()).isZero();
        assertThat(first.isConfirmed()).isTrue();
        assertThat(second.takeHandoff()).isNull();
    }

    @Test
    void grant_is_confirmed_or_not() {
        first.granted(Cohorts.grant(OWNER, 1_000, 100_000, Waiters.NONE, false));
        assertThat(first.isConfirmed()).isFalse();
        time.pass(MILLI);
        first.handOff(deadline);
        second.takeHandoff();
        assertThat(second.isConfirmed()).isFalse();

        granted(third);
        assertThat(third.isConfirmed()).isTrue();
    }

    @Test
    void who_stands_in_no_line_has_nothing_to_handoff() {
        LocalQueue.Place alone = lines.enter(KEY, null, () -> {});

        granted(alone);

        assertThat(alone.lastFencingToken()).isZero();
        assertThat(alone.isConfirmed()).isTrue();
        assertThat(alone.handOff(deadline)).isFalse();
        assertThat(entries.cohorts).isEmpty();
    }

    @Test
    void lock_that_others_wait_for_at_the_store_is_not_handed_off() {
        granted(first);
        time.pass(MILLI);

        entries.awaited(OWNER.sequence(), Waiters.FAIR);

        assertThat(first.handOff(deadline)).isFalse();
    }

    @Test
    void who_was_handed_the_lock_receives_its_messages_after_the_former_holder_has_left() {
        granted(first);
        time.pass(MILLI);
        first.handOff(deadline);
        first.leave();
        second.takeHandoff();
        time.pass(MILLI);

        entries.awaited(OWNER.sequence(), Waiters.FAIR);

        assertThat(second.handOff(deadline)).isFalse();
        assertThat(third.isInLine()).isTrue();
    }

    @Test
    void lock_that_has_ended_receives_no_messages() {
        granted(first);
        assertThat(entries.cohorts).hasSize(1);

        first.leave();
        assertThat(entries.cohorts).isEmpty();
        assertThat(second.isInLine()).isFalse();
    }

    @Test
    void lock_that_has_ended_before_it_was_taken_over_is_not_held() {
        granted(first);
        time.pass(MILLI);
        first.handOff(deadline);
        second.takeHandoff();

        second.notHeld();

        assertThat(entries.cohorts).isEmpty();
        assertThat(second.lastFencingToken()).isZero();
        assertThat(second.isOver()).isFalse();
        second.leave();
        assertThat(third.isInLine()).isFalse();
    }

    @Test
    void place_without_a_lock_is_not_held_all_the_same() {
        first.notHeld();

        assertThat(first.isOver()).isFalse();
        assertThat(second.isInLine()).isTrue();
    }

    @Test
    void place_is_left_once() {
        first.leave();
        first.leave();

        assertThat(second.isInLine()).isFalse();
        assertThat(third.isInLine()).isTrue();
        assertThat(woken).containsExactly("second");
    }
}
