package io.holdfast.lock.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.LockStoreContract;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.FakeTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class InMemoryLockStoreTest extends LockStoreContract {

    private final FakeTicker time = new FakeTicker();
    private final InMemoryLockStore store = new InMemoryLockStore(time, time);

    @Override
    protected LockStore store() {
        return store;
    }

    @Override
    protected void pass(Duration passed) {
        time.pass(passed);
    }

    @Test
    void locks_that_nobody_uses_are_forgotten() {
        for (int i = 0; i < 1000; i++) {
            LockKey one = LockKey.of("forgotten:" + i);
            OwnerId owner = new OwnerId("client", i);
            store.acquire(new AcquireRequest(one, owner, 1000, new HolderInfo("host", 1, "main"), false));
            store.release(one, owner, Duration.ZERO);
        }
        assertThat(store.size()).isEqualTo(1000);

        time.pass(Duration.ofMinutes(10));
        store.inspect(key);

        assertThat(store.size()).isEqualTo(1);
    }

    @Test
    void held_lock_is_not_forgotten_however_long_its_lease() {
        OwnerId owner = new OwnerId("client", 1);
        Duration lease = Duration.ofDays(2);
        store.acquire(new AcquireRequest(key, owner, lease.toMillis(), new HolderInfo("host", 1, "main"), false));

        time.pass(Duration.ofDays(1));
        store.inspect(LockKey.of("another"));

        assertThat(store.inspect(key).holder()).isPresent();
    }
}
