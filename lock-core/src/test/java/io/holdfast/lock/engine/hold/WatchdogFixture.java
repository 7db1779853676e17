package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.engine.client.Cleanup;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.ManualThreads;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;

/** A watchdog on virtual time: its threads are played by the test. */
abstract class WatchdogFixture {

    static final Duration LEASE = Duration.ofSeconds(30);
    static final LockKey KEY = LockKey.of("order:42");

    final FakeTicker time = new FakeTicker();
    final StoreSpy store = new StoreSpy(new InMemoryLockStore(time, time));
    final RecordedEvents events = new RecordedEvents();
    final ManualThreads cleaners = new ManualThreads();
    private final ManualThreads renewers = new ManualThreads();
    final ClientContext client = new ClientContext(store, new Cleanup(store, cleaners), time, false, "client");
    final HeldLocks locks = new HeldLocks(client, new EventPublisher(List.of()), 0, events::accept, renewers);
    final Watchdog watchdog = locks.watchdog;
    private int sequence;

    final HeldLocks locks(LockStore with, ManualThreads threads) {
        var other = new ClientContext(with, new Cleanup(with, cleaners), time, false, "client");
        return new HeldLocks(other, new EventPublisher(List.of()), 0, events::accept, threads);
    }

    final Hold acquired(LockKey key, Duration lease, boolean renew) {
        return acquired(key, terms(lease), renew, null);
    }

    static Terms terms(Duration lease) {
        return Holds.terms(lease);
    }

    /** Granted for a shorter time than its lease, as by a message. */
    final Hold acquired(LockKey key, Duration lease, Duration granted) {
        return watched(unwatched(key, terms(lease), granted, true, null));
    }

    final Hold acquired(LockKey key, Terms terms, boolean renew, Thread boundTo) {
        return watched(unwatched(key, terms, Duration.ofNanos(terms.leaseNanos()), renew, boundTo));
    }

    final Hold watched(Hold hold) {
        locks.add(hold, new HashMap<>());
        return hold;
    }

    /** It is to be renewed, and nobody looks after it yet. */
    final Hold unwatched(LockKey key, Duration lease) {
        return unwatched(key, terms(lease), lease, true, null);
    }

    final Hold unwatched(LockKey key, Terms terms, Duration granted, boolean renew, Thread boundTo) {
        OwnerId owner = new OwnerId("client", ++sequence);
        long millis = granted.toMillis();
        long sentAt = time.nanos();
        AcquireReply reply =
                store.acquire(Requests.exclusive(key, owner, millis, new HolderInfo("host", 1, "main"), false));
        long token = ((AcquireReply.Granted) reply).token();
        var place = client.queue().enter(key, null, () -> {});
        Hold hold = Holds.hold(key, terms, owner, token, sentAt, sentAt + granted.toNanos(), place, time, events::lost);
        hold.open(renew ? terms : Holds.fixed(terms), boundTo);
        return hold;
    }

    /** As by the last handle. */
    final void close(Hold hold) {
        hold.exit(hold.uses.get(0));
        locks.remove(hold);
    }

    final void renewDue() {
        renewers.run();
    }

    /** The open holds that the watchdog looks at by their next event. */
    final List<Hold> watched() {
        return locks.all().stream().filter(Hold::isOpen).toList();
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
        watchdog.tick();
        renewDue();
    }

    final boolean heldInStore(LockKey key) {
        return store.inspect(key).holder().isPresent();
    }
}
