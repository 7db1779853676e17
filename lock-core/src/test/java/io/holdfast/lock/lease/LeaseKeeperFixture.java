package io.holdfast.lock.lease;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;

/** A watchdog on virtual time: its two threads are played by the test. */
abstract class LeaseKeeperFixture {

    static final Duration LEASE = Duration.ofSeconds(30);
    static final LockKey KEY = LockKey.of("order:42");

    final FakeTicker time = new FakeTicker();
    final StoreSpy store = new StoreSpy(new InMemoryLockStore(time, time));
    final RecordedEvents events = new RecordedEvents();
    final LeaseKeeper keeper = new LeaseKeeper(store, events, time, false);
    private int sequence;

    final Lease acquired(LockKey key, Duration lease, boolean renew) {
        return acquired(key, terms(lease), renew, null);
    }

    static LeaseTerms terms(Duration lease) {
        return new LeaseTerms(
                lease.toNanos(), LeaseTerms.UNLIMITED, Duration.ofDays(1).toNanos());
    }

    /** Granted for a shorter time than its lease, as by a message. */
    final Lease acquired(LockKey key, Duration lease, Duration granted) {
        return acquired(key, terms(lease), granted, true, null);
    }

    final Lease acquired(LockKey key, LeaseTerms terms, boolean renew, Thread boundTo) {
        return acquired(key, terms, Duration.ofNanos(terms.leaseNanos()), renew, boundTo);
    }

    private Lease acquired(LockKey key, LeaseTerms terms, Duration granted, boolean renew, Thread boundTo) {
        Lease lease = unwatched(key, terms, granted, renew, boundTo);
        keeper.watch(lease);
        return lease;
    }

    /** It is to be renewed, and nobody looks after it yet. */
    final Lease unwatched(LockKey key, Duration lease) {
        return unwatched(key, terms(lease), lease, true, null);
    }

    private Lease unwatched(LockKey key, LeaseTerms terms, Duration granted, boolean renew, Thread boundTo) {
        OwnerId owner = new OwnerId("client", ++sequence);
        long millis = granted.toMillis();
        long sentAt = time.nanos();
        AcquireReply reply =
                store.acquire(Requests.exclusive(key, owner, millis, new HolderInfo("host", 1, "main"), false));
        long token = ((AcquireReply.Granted) reply).token();
        var grant = new Grant(key, "", owner, token, true, sentAt, sentAt + granted.toNanos());
        Lease lease = new Lease(grant, terms, time, events);
        if (boundTo != null) {
            lease.bindTo(boundTo);
        }
        if (renew) {
            lease.startRenewing();
        }
        return lease;
    }

    /** Lets time pass in steps, as the two threads would see it. */
    final void pass(Duration total) {
        Duration step = total.dividedBy(100);
        for (int i = 0; i < 100; i++) {
            passAtOnce(step);
        }
    }

    /** Lets time pass in one step. */
    final void passAtOnce(Duration step) {
        time.pass(step);
        keeper.tick();
        keeper.renewDue();
    }

    final boolean heldInStore(LockKey key) {
        return store.inspect(key).holder().isPresent();
    }
}
