package io.holdfast.lock.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.Requests;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A waiter that keeps its entry, and lets a reservation lapse. */
class LapsedReservationTest {

    private static final LockKey KEY = LockKey.of("order:42");

    private final FakeTicker time = new FakeTicker();
    private final InMemoryLockStore store = new InMemoryLockStore(time, time);

    private OwnerId ask(String client) {
        OwnerId owner = new OwnerId(client, 1);
        store.acquire(Requests.exclusive(KEY, owner, 30_000, new HolderInfo("host", 1, client), true));
        return owner;
    }

    @Test
    void live_waiter_whose_reservation_has_lapsed_keeps_its_place_over_a_forced_release() {
        OwnerId holder = ask("holder");
        OwnerId first = ask("first");
        OwnerId second = ask("second");
        store.release(new ReleaseRequest(KEY, holder));
        Duration half = LockStore.ENTRY_TIMEOUT.dividedBy(2);
        time.pass(half);
        store.keepEntries(List.of(Requests.entries(KEY, List.of(first, second))));
        time.pass(half);

        assertThat(store.forceRelease(KEY)).isEmpty();

        assertThat(store.inspect(KEY).holders()).hasSize(1);
        assertThat(store.inspect(KEY).waiters()).isEqualTo(1);
    }

    @Test
    void clock_that_is_set_back_keeps_no_dead_waiter_in_the_queue() {
        ask("holder");
        ask("dead");
        OwnerId live = ask("live");
        time.pass(Duration.ofHours(-1));
        store.keepEntries(List.of(Requests.entries(KEY, List.of(live))));

        time.pass(LockStore.ENTRY_TIMEOUT);
        store.keepEntries(List.of(Requests.entries(KEY, List.of(live))));

        assertThat(store.inspect(KEY).waiters()).isEqualTo(1);
    }

    @Test
    void clock_that_is_set_back_keeps_the_lock_reserved_for_no_dead_waiter() {
        OwnerId holder = ask("holder");
        ask("dead");
        OwnerId live = ask("live");
        store.release(new ReleaseRequest(KEY, holder));
        time.pass(Duration.ofHours(-1));
        store.keepEntries(List.of(Requests.entries(KEY, List.of(live))));

        time.pass(LockStore.ENTRY_TIMEOUT);
        store.keepEntries(List.of(Requests.entries(KEY, List.of(live))));

        assertThat(store.inspect(KEY).holders())
                .singleElement()
                .satisfies(reserved -> assertThat(reserved.clientId()).isEqualTo("live"));
    }
}
