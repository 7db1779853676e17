package io.holdfast.lock.explore;

import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.testing.Requests;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One server of a quorum: the store in memory, and the rule of {@code acquire.lua} that a server which lost its data grants
 * no lock that it does not know before all leases of the time before have ended.
 */
final class QuorumServer {

    private static final long LONG_AGO = Long.MIN_VALUE / 2;
    private static final long ROUNDING = TimeUnit.MILLISECONDS.toNanos(999);

    private final QuorumSetting setting;
    private final int number;
    private InMemoryLockStore store;
    private long joinedAt;

    QuorumServer(QuorumSetting setting, int number) {
        this.setting = setting;
        this.number = number;
        store = newStore();
        joinedAt = LONG_AGO;
    }

    private QuorumServer(QuorumServer other) {
        setting = other.setting;
        number = other.number;
        store = ObjectGraph.copy(other.store);
        joinedAt = other.joinedAt;
    }

    QuorumServer copy() {
        return new QuorumServer(this);
    }

    private InMemoryLockStore newStore() {
        setting.serverClock.setToZero();
        return new InMemoryLockStore(setting.serverClock, setting.serverClock);
    }

    private LockStore at(long now) {
        setting.serverClock.set(now + setting.ahead(number));
        return store;
    }

    void restart(long now) {
        store = newStore();
        at(now);
        long note = setting.has(Defect.EARLY_REJOIN_NOTE) ? ROUNDING : 0;
        joinedAt = setting.has(Defect.NO_REJOIN_DELAY) ? LONG_AGO : setting.serverClock.nanos() - note;
    }

    /** The answer, or null if it refuses: it may have forgotten this lock. */
    AcquireReply acquire(AcquireRequest request, long now) {
        LockStore here = at(now);
        if (setting.has(Defect.TOKEN_NOT_NOTED) && request.raising()) {
            return new AcquireReply.Granted(request.leastToken(), 1, Waiters.NONE, false);
        }
        boolean rejoining = joinedAt + QuorumSetting.REJOIN_DELAY - setting.serverClock.nanos() > 0;
        return rejoining && !StoreView.of(store).isKnown() ? null : here.acquire(request);
    }

    LockStore store(long now) {
        return at(now);
    }

    boolean renew(OwnerId owner, long leaseMillis, long now) {
        return at(now).renew(List.of(Requests.renewal(World.KEY, owner, leaseMillis)))
                        .get(0)
                instanceof RenewReply.Renewed;
    }

    boolean keeps(OwnerId owner, long untilNanos, long now) {
        at(now);
        long end = StoreView.of(store).leaseEnd(owner, Long.MIN_VALUE);
        return end != Long.MIN_VALUE && end - setting.serverClock.nanos() >= untilNanos - now;
    }

    void write(StateCode code, StateWriter writer, long now) {
        at(now);
        writer.at(setting.serverClock.nanos(), setting.serverClock.micros(), setting.tokenClock(), 0);
        code.time(Math.max(joinedAt, LONG_AGO / 2) + QuorumSetting.REJOIN_DELAY - setting.serverClock.nanos(), 0);
        StoreView.of(store).write(writer);
    }
}
