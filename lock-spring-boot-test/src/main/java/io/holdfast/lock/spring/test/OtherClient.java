package io.holdfast.lock.spring.test;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A client like that of another instance of the application, with its own leases in the same store. Its leases are so long that
 * it needs no watchdog, and therefore no thread.
 */
final class OtherClient {

    private static final String ID = "elsewhere";
    private static final HolderInfo INFO = new HolderInfo("another-host", 1, "TestLocks.holdElsewhere");

    private final AtomicLong sequence = new AtomicLong();
    private final Map<OwnerId, Hold> forGood = new ConcurrentHashMap<>();
    private final InMemoryLockStore store;

    private record Hold(LockKey key, LockMode mode) {}

    OtherClient(InMemoryLockStore store) {
        this.store = store;
    }

    static boolean is(LockHolder holder) {
        return holder.clientId().equals(ID);
    }

    /** Whether this client alone keeps the request from being granted, until a simulation is closed. */
    boolean keepsOutForGood(LockRequest request) {
        return !forGood.isEmpty() && request.keys().stream().anyMatch(key -> keepsOutForGood(key, request));
    }

    private boolean keepsOutForGood(LockKey key, LockRequest request) {
        List<Hold> holds =
                forGood.values().stream().filter(hold -> hold.key().equals(key)).toList();
        boolean alone = request.mode() == LockMode.EXCLUSIVE
                || holds.stream().anyMatch(hold -> hold.mode() == LockMode.EXCLUSIVE);
        return holds.size() >= (alone ? 1 : request.limit());
    }

    /**
     * Acquires all keys of the request, or none.
     *
     * @throws IllegalStateException if one of them is not free
     */
    Simulation hold(LockRequest request, boolean untilClosed) {
        Deque<Simulation> holds = new ArrayDeque<>();
        try {
            request.keys().forEach(key -> holds.push(hold(key, request, untilClosed)));
        } catch (IllegalStateException taken) {
            holds.forEach(Simulation::close);
            throw taken;
        }
        return new Once(() -> holds.forEach(Simulation::close));
    }

    private Simulation hold(LockKey key, LockRequest request, boolean untilClosed) {
        OwnerId owner = new OwnerId(ID, sequence.incrementAndGet());
        AcquireReply reply = store.acquire(new AcquireRequest(
                key,
                owner,
                LockRequest.MAX_TIME.toMillis(),
                INFO,
                limit(request),
                1,
                request.fair(),
                false,
                1,
                0,
                false));
        if (!(reply instanceof AcquireReply.Granted)) {
            throw new IllegalStateException(
                    "Lock '" + key + "' cannot be held by another client: it is not free. Held by "
                            + store.inspect(key).holders().stream()
                                    .map(LockHolder::describe)
                                    .toList());
        }
        if (untilClosed) {
            forGood.put(owner, new Hold(key, request.mode()));
        }
        return new Once(() -> {
            forGood.remove(owner);
            release(key, owner);
        });
    }

    /** Does not report whether the lock was taken away in the meantime, for example by {@link LockStore#forceRelease}. */
    private void release(LockKey key, OwnerId owner) {
        var unused = store.release(new ReleaseRequest(key, owner));
    }

    private static int limit(LockRequest request) {
        return request.mode() == LockMode.EXCLUSIVE ? AcquireRequest.EXCLUSIVE : request.limit();
    }
}
