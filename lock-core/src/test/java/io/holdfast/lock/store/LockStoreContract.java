package io.holdfast.lock.store;

import org.junit.jupiter.api.Nested;

/** What every {@link LockStore} must do that keeps a queue. A store's test extends this, and runs it all. */
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
    class SentReleases extends SentReleaseContract {
        SentReleases() {
            super(LockStoreContract.this);
        }
    }
}
