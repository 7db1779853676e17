package io.holdfast.lock.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.contract.LockStoreContract;
import io.holdfast.lock.testing.contract.OptionalCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

class InMemoryLockStoreTest extends LockStoreContract {

    private final LockKey key = LockKey.of("memory");
    private final OwnerId alice = new OwnerId("alice", 1);
    private final OwnerId bob = new OwnerId("bob", 1);
    private final FakeTicker time = new FakeTicker();
    private final InMemoryLockStore store = new InMemoryLockStore(time, time);

    @Override
    public LockStore store() {
        return store;
    }

    @Override
    public Set<OptionalCall> offers() {
        return EnumSet.allOf(OptionalCall.class);
    }

    @Override
    public void pass(LockKey unused, Duration passed) {
        time.pass(passed);
    }

    private AcquireReply acquire(LockKey lock, OwnerId owner, Duration lease, boolean waiting) {
        return store.acquire(new AcquireRequest(
                lock, owner, lease.toMillis(), new HolderInfo("host", 1, "main"), 0, 1, false, waiting, 1, 0, false));
    }

    @Test
    void locks_that_nobody_uses_are_forgotten() {
        for (int i = 0; i < 1000; i++) {
            LockKey one = LockKey.of("forgotten:" + i);
            OwnerId owner = new OwnerId("client", i);
            acquire(one, owner, Duration.ofSeconds(1), false);
            store.release(new ReleaseRequest(one, owner));
        }
        assertThat(store.locks).hasSize(1000);

        time.pass(Duration.ofMinutes(10));
        store.inspect(key);

        assertThat(store.locks).hasSize(1);
    }

    @Test
    void held_lock_is_not_forgotten_however_long_its_lease() {
        acquire(key, alice, Duration.ofDays(2), false);

        time.pass(Duration.ofDays(1));
        store.inspect(LockKey.of("another"));

        assertThat(store.inspect(key).holder()).isPresent();
    }

    @Test
    void dead_entries_behind_a_live_one_do_not_pile_up() {
        acquire(key, alice, Duration.ofDays(1), false);
        acquire(key, bob, Duration.ofDays(1), true);
        int longest = 0;
        for (int i = 0; i < 1000; i++) {
            time.pass(Duration.ofMillis(100));
            store.keepEntries(List.of(Requests.entries(key, List.of(bob))));
            acquire(key, new OwnerId("dies", i), Duration.ofDays(1), true);
            longest = Math.max(longest, store.locks.get(key).entries.size());
        }

        int alive = (int) LockStore.ENTRY_TIMEOUT.dividedBy(Duration.ofMillis(100));
        assertThat(longest).isBetween(alive, alive + 1);
        assertThat(store.inspect(key).waiters()).isLessThanOrEqualTo(alive + 1);
    }

    @Test
    void listener_is_connected_at_once() {
        List<String> received = new ArrayList<>();

        store.listen("bob", new Listener(sequence -> {}) {
            @Override
            public void connected() {
                received.add("connected");
            }
        });

        assertThat(received).containsExactly("connected");
    }

    @Test
    void listeners_are_called_on_the_calling_thread_while_other_threads_may_use_the_store() {
        List<Thread> threads = new ArrayList<>();
        store.listen("bob", new Listener(sequence -> {
            CompletableFuture.supplyAsync(() -> store.inspect(key))
                    .orTimeout(10, TimeUnit.SECONDS)
                    .join();
            threads.add(Thread.currentThread());
        }));
        acquire(key, alice, Duration.ofSeconds(1), false);
        acquire(key, bob, Duration.ofSeconds(1), true);

        store.release(new ReleaseRequest(key, alice));

        assertThat(threads).containsExactly(Thread.currentThread());
    }

    @Test
    void listener_that_throws_harms_nobody() {
        List<Long> called = new ArrayList<>();
        LongConsumer broken = sequence -> {
            throw new IllegalStateException("on purpose");
        };
        for (LongConsumer each : List.of(broken, (LongConsumer) called::add, broken)) {
            store.listen("bob", new Listener(each));
        }
        acquire(key, alice, Duration.ofSeconds(1), false);
        acquire(key, bob, Duration.ofSeconds(1), true);

        assertThat(store.release(new ReleaseRequest(key, alice))).isEqualTo(ReleaseReply.RELEASED);

        assertThat(called).containsExactly(1L);
    }

    private static class Listener implements WakeListener {
        private final LongConsumer called;

        Listener(LongConsumer called) {
            this.called = called;
        }

        @Override
        public void granted(long sequence, Reservation reservation) {
            called.accept(sequence);
        }

        @Override
        public void awaited(long sequence, Waiters waiters) {}

        @Override
        public void connected() {}

        @Override
        public void disconnected() {}
    }
}
