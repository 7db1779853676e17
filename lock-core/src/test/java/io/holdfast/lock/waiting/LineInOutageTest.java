package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What those in line know of a store that fails, and who is in front when the front gives up on it. */
class LineInOutageTest {

    private static final LockKey KEY = LockKey.of("order:42");

    private final FakeTicker time = new FakeTicker();
    private final LocalQueue lines = new LocalQueue(
            new EntryKeeper(new InMemoryLockStore(time, time), "client", time, false, sequence -> {}), () -> 1, time);
    private final LocalQueue.Place front = enter();
    private final QueueEntry entry = front.entry();

    private LocalQueue.Place enter() {
        return lines.enter(KEY, "terms", () -> {});
    }

    private Failing fromNow() {
        return new Failing(time.nanos(), StoreSpy.unreachable());
    }

    /** How long somebody in line waits, who may wait for a second, and for ten milliseconds of that for a store that fails. */
    private Duration patience(LocalQueue.Place member) {
        Budget budget = Budget.of(time, Duration.ofSeconds(1).toNanos())
                .tolerating(Duration.ofMillis(10).toNanos());
        return Duration.ofNanos(member.look(budget));
    }

    @Test
    void failure_that_the_front_gives_up_on_counts_for_those_behind_it() {
        enter();
        LocalQueue.Place last = enter();

        entry.failing(fromNow());
        lines.entries.giveUp(entry);
        front.leave();

        assertThat(patience(last)).isEqualTo(Duration.ofMillis(10));
    }

    @Test
    void failure_that_the_entry_of_the_front_knows_of_counts_for_those_behind_the_next_one() {
        enter();
        LocalQueue.Place last = enter();
        entry.failing(fromNow());
        time.pass(Duration.ofMillis(4));

        front.leave();

        assertThat(patience(last)).isEqualTo(Duration.ofMillis(6));
    }

    @Test
    void failure_that_was_heard_of_again_counts_from_the_beginning() {
        LocalQueue.Place next = enter();
        entry.failing(fromNow());
        time.pass(Duration.ofMillis(4));
        entry.failing(fromNow());

        assertThat(patience(next)).isEqualTo(Duration.ofMillis(6));
    }

    @Test
    void failure_is_over_for_all_when_the_front_is_answered() {
        LocalQueue.Place next = enter();
        entry.failing(fromNow());

        entry.answered(true);

        assertThat(patience(next)).isEqualTo(Duration.ofSeconds(1));
    }
}
