package io.holdfast.lock.testing.contract;

import io.holdfast.lock.store.LockStore;
import org.junit.jupiter.api.Nested;

/**
 * The requirements for every {@link LockStore}. The test of a store extends this class and runs all of its tests:
 *
 * <pre>{@code
 * class MyLockStoreTest extends LockStoreContract {
 *
 *     private final FakeTicker time = new FakeTicker();
 *     private final MyLockStore store = new MyLockStore(time);
 *
 *     @Override
 *     public LockStore store() {
 *         return store;
 *     }
 *
 *     @Override
 *     public void pass(LockKey key, Duration passed) {
 *         time.pass(passed);
 *     }
 * }
 * }</pre>
 *
 * <p>The test of a store that keeps no queue, such as a quorum, extends {@link HolderContract}.
 */
public abstract class LockStoreContract extends HolderContract {

    @Nested
    class Queue extends QueueContract {
        Queue() {
            super(LockStoreContract.this);
        }
    }

    @Nested
    class Reservations extends ReservationContract {
        Reservations() {
            super(LockStoreContract.this);
        }
    }

    @Nested
    class Hints extends WakeContract {
        Hints() {
            super(LockStoreContract.this);
        }
    }

    @Nested
    class HandOvers extends HandOverContract {
        HandOvers() {
            super(LockStoreContract.this);
        }
    }

    @Nested
    class JointQueues extends JointQueueContract {
        JointQueues() {
            super(LockStoreContract.this);
        }
    }

    @Nested
    class Entries extends EntryContract {
        Entries() {
            super(LockStoreContract.this);
        }
    }

    @Nested
    class StepsBack extends StepBackContract {
        StepsBack() {
            super(LockStoreContract.this);
        }
    }

    @Nested
    class LapsedReservations extends LapsedReservationContract {
        LapsedReservations() {
            super(LockStoreContract.this);
        }
    }

    @Nested
    class ScansOfQueues extends ScanQueueContract {
        ScansOfQueues() {
            super(LockStoreContract.this);
        }
    }
}
