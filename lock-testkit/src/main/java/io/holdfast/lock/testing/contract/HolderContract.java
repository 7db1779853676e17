package io.holdfast.lock.testing.contract;

import io.holdfast.lock.store.LockStore;
import org.junit.jupiter.api.Nested;

/**
 * The requirements for every {@link LockStore} concerning the holders of a lock, whether or not it keeps a queue of waiters: leases,
 * fencing tokens, shared locks and permits, downgrades, several locks in one call. The test of a store that keeps a queue extends {@link
 * LockStoreContract}, which includes this contract.
 */
public abstract class HolderContract implements StoreUnderTest {

    @Nested
    class Holding extends HoldingContract {
        Holding() {
            super(HolderContract.this);
        }
    }

    @Nested
    class Tokens extends TokenContract {
        Tokens() {
            super(HolderContract.this);
        }
    }

    @Nested
    class Sharing extends SharedContract {
        Sharing() {
            super(HolderContract.this);
        }
    }

    @Nested
    class Downgrades extends DowngradeContract {
        Downgrades() {
            super(HolderContract.this);
        }
    }

    @Nested
    class Joint extends JointContract {
        Joint() {
            super(HolderContract.this);
        }
    }

    @Nested
    class ForcedReleases extends ForcedReleaseContract {
        ForcedReleases() {
            super(HolderContract.this);
        }
    }

    @Nested
    class Scans extends ScanContract {
        Scans() {
            super(HolderContract.this);
        }
    }

    @Nested
    class Data extends DataContract {
        Data() {
            super(HolderContract.this);
        }
    }

    @Nested
    class RecordedWaits extends WaitsContract {
        RecordedWaits() {
            super(HolderContract.this);
        }
    }
}
