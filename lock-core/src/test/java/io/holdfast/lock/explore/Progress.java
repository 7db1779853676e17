package io.holdfast.lock.explore;

import io.holdfast.lock.explore.Course.Phase;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.Requests;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * From every state somebody gets on: all others die now, all messages are lost, and one client goes on: one of those that
 * wait, by asking for its entry, or a newcomer that tries again and again without waiting. It must get the lock a reservation
 * and a tenth of a second after the leases that are held have ended, however many have died in the queue.
 */
final class Progress {

    private static final long POLL = TimeUnit.MILLISECONDS.toNanos(1_500);
    private static final long SLACK = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(10);
    private static final OwnerId NEWCOMER = new OwnerId("newcomer", 1);
    private static final HolderInfo SOMEWHERE = new HolderInfo("web-2", 1, "main");

    private final World world;
    private final InMemoryLockStore store;
    private final OwnerId owner;
    private final int limit;
    private long passed;

    private Progress(World world, OwnerId owner, int limit) {
        this.world = world;
        this.store = ObjectGraph.copy(world.store);
        this.owner = owner;
        this.limit = limit;
    }

    static @Nullable String violation(World world) {
        world.setting.current = null;
        OwnerId stuck = new Progress(world, NEWCOMER, AcquireRequest.EXCLUSIVE).getsOn(false) ? null : NEWCOMER;
        for (ModelClient client : world.clients) {
            if (client.isIn(Phase.QUEUED) && !new Progress(world, client.owner(), client.limit).getsOn(true)) {
                stuck = client.owner();
            }
        }
        world.sync();
        return stuck == null
                ? null
                : "P5: " + stuck
                        + " waits for longer than a reservation, though nobody else is alive, and no lease is left";
    }

    private boolean getsOn(boolean waiting) {
        world.setting.serverClock.set(world.now + world.serverAhead);
        long patience = StoreView.of(store).heldFor(world.setting.serverClock.nanos())
                + LockStore.RESERVATION.toNanos()
                + SLACK;
        while (passed <= patience) {
            world.setting.serverClock.set(world.now + world.serverAhead + passed);
            if (waiting ? polls() && asks(true) : asks(false)) {
                return true;
            }
        }
        return false;
    }

    private boolean asks(boolean waiting) {
        Flaws.beforeCall(world.setting, store);
        AcquireReply reply = store.acquire(new AcquireRequest(
                World.KEY,
                owner,
                TimeUnit.NANOSECONDS.toMillis(world.setting.leaseNanos),
                SOMEWHERE,
                limit,
                1,
                false,
                waiting,
                1,
                0,
                false));
        if (reply instanceof AcquireReply.Held held) {
            passes(held.blockedFor().toNanos());
        }
        return reply instanceof AcquireReply.Granted;
    }

    private boolean polls() {
        Flaws.beforeCall(world.setting, store);
        EntryReply reply = store.keepEntries(List.of(Requests.entries(World.KEY, List.of(owner))))
                .get(0);
        if (!(reply instanceof EntryReply.Kept kept) || kept.called().isEmpty()) {
            passes(reply instanceof EntryReply.Kept kept ? kept.blockedFor().toNanos() : POLL);
            return false;
        }
        return true;
    }

    private void passes(long blockedFor) {
        passed += Math.max(SHORTEST, Math.min(POLL, blockedFor));
    }
}
