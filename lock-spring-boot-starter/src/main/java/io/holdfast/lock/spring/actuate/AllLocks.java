package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockWaiter;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.spring.actuate.LocksDescriptors.Holder;
import io.holdfast.lock.spring.actuate.OverviewDescriptors.Deadlock;
import io.holdfast.lock.spring.actuate.OverviewDescriptors.Event;
import io.holdfast.lock.spring.actuate.OverviewDescriptors.Held;
import io.holdfast.lock.spring.actuate.OverviewDescriptors.Instance;
import io.holdfast.lock.spring.actuate.OverviewDescriptors.Lock;
import io.holdfast.lock.spring.actuate.OverviewDescriptors.Overview;
import io.holdfast.lock.spring.actuate.OverviewDescriptors.Wait;
import io.holdfast.lock.spring.actuate.OverviewDescriptors.Waiter;
import java.util.List;

/** All locks of the store, page by page, and what has happened to those of this instance. */
final class AllLocks {

    private final SharedScan scans;
    private final LatestEvents events;
    private final LockIds ids = new LockIds();

    AllLocks(SharedScan scans, LatestEvents events) {
        this.scans = scans;
        this.events = events;
    }

    Overview show(OverviewQuery query, boolean withKeys) {
        SharedScan.Result result = scans.get();
        List<LockStatus> matching = result.scan().locks().stream()
                .filter(lock -> query.matches(lock, result.time()))
                .toList();
        return new Overview(
                LocksDescriptors.text(result.time()),
                result.scan().complete(),
                matching.size(),
                query.page(),
                query.size(),
                new Instance(
                        result.client().clientId(),
                        result.client().host(),
                        result.client().pid()),
                matching.stream()
                        .skip((long) query.page() * query.size())
                        .limit(query.size())
                        .map(lock -> describe(lock, withKeys))
                        .toList(),
                result.waits().deadlocks().stream()
                        .map(cycle -> new Deadlock(describe(cycle.waits(), withKeys)))
                        .toList(),
                describe(result.waits().waits(), withKeys),
                events.all().stream()
                        .map(event -> describe(event, result.client().host(), withKeys))
                        .toList());
    }

    private Lock describe(LockStatus lock, boolean withKeys) {
        return new Lock(
                ids.of(lock.key()),
                LocksDescriptors.key(lock.key(), withKeys),
                lock.lastToken(),
                Holder.all(lock.holders()),
                lock.waiters(),
                lock.queue().stream().map(AllLocks::describe).toList());
    }

    private static Waiter describe(LockWaiter waiter) {
        return new Waiter(
                waiter.clientId(),
                waiter.host(),
                waiter.pid(),
                waiter.thread(),
                waiter.mode().name(),
                waiter.fair(),
                waiter.reserved());
    }

    private List<Wait> describe(List<NestedWait> waits, boolean withKeys) {
        return waits.stream().map(wait -> describe(wait, withKeys)).toList();
    }

    private Wait describe(NestedWait wait, boolean withKeys) {
        return new Wait(
                wait.clientId(),
                wait.host(),
                wait.pid(),
                wait.thread(),
                LocksDescriptors.key(wait.key(), withKeys),
                ids.of(wait.key()),
                LocksDescriptors.text(wait.waited()),
                wait.holds().stream()
                        .map(held -> new Held(LocksDescriptors.key(held.key(), withKeys), ids.of(held.key())))
                        .toList());
    }

    private Event describe(LatestEvents.Entry entry, String host, boolean withKeys) {
        LockEvent.OfLock event = entry.event();
        String time = LocksDescriptors.text(entry.time());
        String key = LocksDescriptors.key(event.key(), withKeys);
        String id = ids.of(event.key());
        if (event instanceof LockEvent.Lost lost) {
            return new Event("LOST", time, key, id, lost.cause().name(), null, host);
        }
        if (event instanceof LockEvent.ForceReleased released) {
            LockHolder holder = released.holder();
            return new Event("FORCE_RELEASED", time, key, id, null, holder.thread(), holder.host());
        }
        return new Event("LONG_HELD", time, key, id, null, null, host);
    }
}
