package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Who is woken when a wait may be over. Threads that check the time would go on anyway, later; here are none. */
class WakeupsTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final OwnerId OWNER = new OwnerId("client", 1);
    private static final LockStoreException BROKEN = StoreSpy.unreachable();

    private final FakeTicker time = new FakeTicker();
    private final EntryKeeper entries =
            new EntryKeeper(new InMemoryLockStore(time, time), "client", time, false, sequence -> {});
    private final LocalQueue lines = new LocalQueue(
            new EntryKeeper(new InMemoryLockStore(time, time), "client", time, false, sequence -> {}), () -> 1, time);
    private final Outages outages = new Outages(time);
    private final QueueEntry entry = new QueueEntry(KEY, OWNER);
    private final List<String> woken = new ArrayList<>();

    private LocalQueue.Place enter(String name) {
        return lines.enter(KEY, "terms", () -> woken.add(name));
    }

    private LocalQueue.Place frontOfThree() {
        LocalQueue.Place front = enter("front");
        enter("next");
        enter("last");
        return front;
    }

    private Failing fromNow() {
        return new Failing(time.nanos(), BROKEN);
    }

    @Test
    void front_that_leaves_wakes_the_next_one() {
        frontOfThree().leave();

        assertThat(woken).containsExactly("next");
    }

    @Test
    void lock_that_is_handed_off_wakes_the_one_who_has_it() {
        var cohort = Cohorts.of(OWNER, 1, 100_000, Waiters.NONE, time);
        time.pass(Duration.ofMillis(1));

        assertThat(frontOfThree().handOff(cohort, time.nanos() + TimeUnit.SECONDS.toNanos(30)))
                .isTrue();

        assertThat(woken).containsExactly("next");
    }

    @Test
    void refusal_of_the_front_wakes_all_behind_it() {
        frontOfThree().fail(BROKEN);

        assertThat(woken).containsExactly("next", "last");
    }

    @Test
    void entry_that_hears_of_a_failure_wakes_all_behind_its_waiter_once() {
        QueueEntry asking = frontOfThree().entry();
        asking.wakes(() -> woken.add("front"));
        assertThat(woken).isEmpty();

        asking.failing(fromNow());
        assertThat(woken).containsExactlyInAnyOrder("front", "next", "last");

        asking.failing(fromNow());
        assertThat(woken).hasSize(3);
    }

    @Test
    void front_that_inherits_a_failure_wakes_all_behind_it() {
        LocalQueue.Place front = enter("front");
        LocalQueue.Place next = enter("next");
        enter("last");
        front.entry().failing(fromNow());
        lines.entries.giveUp(front.entry());
        front.leave();
        woken.clear();

        next.entry();

        assertThat(woken).containsExactly("last");
    }

    @Test
    void closed_lines_wake_all_who_stand_in_them() {
        frontOfThree();

        lines.close();

        assertThat(woken).containsExactly("next", "last");
    }

    @Test
    void closed_keeper_wakes_who_waits_with_an_entry() {
        entries.open(KEY, OWNER).wakes(() -> woken.add("waiter"));

        entries.close();

        assertThat(woken).containsExactly("waiter");
    }

    @Test
    void who_leaves_the_queue_of_an_outage_wakes_the_first() {
        Outages.Turn first = outages.join("server", true, () -> woken.add("first"));
        Outages.Turn second = outages.join("server", true, () -> woken.add("second"));
        outages.join("server", true, () -> woken.add("third"));

        first.close();
        assertThat(woken).containsExactly("second");
        second.close();
        assertThat(woken).containsExactly("second", "third");
    }
}
