package io.holdfast.lock.faults;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.testing.StoreSpy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Breaks what a store promises. */
final class DefectiveStore extends StoreSpy {

    private static final int EVERY = 20;
    private static final int SHORT_LEASE_MILLIS = 50;

    private final Defect defect;
    private final AtomicInteger calls = new AtomicInteger();
    private final Map<LockKey, Long> tokens = new ConcurrentHashMap<>();

    DefectiveStore(LockStore store, Defect defect) {
        super(store);
        this.defect = defect;
    }

    @Override
    public AcquireReply acquire(AcquireRequest request) {
        if (defect == Defect.ENDS_LEASES_EARLY) {
            return super.acquire(shortened(request));
        }
        AcquireReply reply = super.acquire(request);
        if (reply instanceof AcquireReply.Held held && defect == Defect.GRANTS_WHAT_IS_HELD && isDue()) {
            return new AcquireReply.Granted(held.storeMicros(), 1, Waiters.NONE, false);
        }
        if (reply instanceof AcquireReply.Granted granted && defect == Defect.REPEATS_TOKENS) {
            Long former = tokens.put(request.key(), granted.token());
            return former == null || !isDue()
                    ? reply
                    : new AcquireReply.Granted(former, 1, granted.waiters(), granted.resent());
        }
        return reply;
    }

    private boolean isDue() {
        return calls.incrementAndGet() % EVERY == 0;
    }

    private static AcquireRequest shortened(AcquireRequest request) {
        return new AcquireRequest(
                request.key(),
                request.owner(),
                SHORT_LEASE_MILLIS,
                request.holder(),
                request.limit(),
                request.weight(),
                request.fair(),
                request.waiting(),
                Math.min(request.tokens(), SHORT_LEASE_MILLIS),
                request.leastToken(),
                request.raising());
    }
}
