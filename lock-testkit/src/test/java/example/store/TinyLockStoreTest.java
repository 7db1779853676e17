package example.store;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.contract.LockStoreContract;
import java.time.Duration;

/** The contract from outside of Holdfast's packages, as docs/reference/store.md shows it. */
class TinyLockStoreTest extends LockStoreContract {

    private final FakeTicker time = new FakeTicker();
    private final LockStore store = new TinyLockStore(time);

    @Override
    public LockStore store() {
        return store;
    }

    @Override
    public void pass(LockKey key, Duration passed) {
        time.pass(passed);
    }
}
