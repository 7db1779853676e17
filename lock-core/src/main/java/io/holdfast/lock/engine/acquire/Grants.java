package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.hold.Handle;
import io.holdfast.lock.engine.hold.HandleOperations;
import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.engine.hold.LeaseReports;
import io.holdfast.lock.engine.hold.Terms;
import io.holdfast.lock.engine.hold.ThreadHolds;
import io.holdfast.lock.lease.Grant;
import io.holdfast.lock.lease.Lease;
import io.holdfast.lock.lease.LeaseKeeper;
import io.holdfast.lock.store.AcquireRequest.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.waiting.Cohort;
import io.holdfast.lock.waiting.LocalQueue.Place;
import org.jspecify.annotations.Nullable;

/** Creates holds for locks that the store has granted or another thread has handed off. */
public final class Grants {

    private final ClientContext client;
    private final ThreadHolds holds;
    private final LeaseKeeper keeper;
    private final LeaseReports reports;
    private final HandleOperations handles;

    public Grants(
            ClientContext client,
            ThreadHolds holds,
            LeaseKeeper keeper,
            LeaseReports reports,
            HandleOperations handles) {
        this.client = client;
        this.holds = holds;
        this.keeper = keeper;
        this.reports = reports;
        this.handles = handles;
    }

    /** The store has granted the lock. */
    Handle open(Call call, StoreGrant granted, HolderInfo holder, Place place) {
        Grant grant = granted.grant();
        place.granted(grant.owner(), grant.token(), granted.tokens(), granted.waiters(), granted.confirmed());
        return open(call, grant, holder, granted.resent(), place);
    }

    /** Another thread has handed the lock off. Returns nothing if that came too late. */
    @Nullable
    Handle open(Call call, Cohort handOff, HolderInfo holder, Place place) {
        long now = client.ticker().nanos();
        if (handOff.deadline() - now <= 0) {
            place.notHeld();
            client.cleanup()
                    .undoHold(call.key(), handOff.owner(), call.terms().lease().leaseNanos());
            return null;
        }
        Grant grant = call.grant(handOff.owner(), handOff.lastToken(), now, handOff.deadline());
        return open(call, grant, holder, false, place);
    }

    private Handle open(Call call, Grant grant, HolderInfo holder, boolean resent, Place place) {
        Terms terms = call.terms();
        Lease lease = new Lease(grant, terms.lease(), client.ticker(), reports);
        Hold hold = new Hold(lease, holder, terms, resent, place);
        Handle handle = call.handle(handles, hold);
        holds.add(hold, call.caller().holds());
        keeper.watch(lease);
        return handle;
    }

    /** The lock was granted, but no handle can be created, for lack of memory or threads. */
    void giveBack(Call call, OwnerId owner, Place place) {
        Hold hold = call.caller().holds().get(call.key());
        if (hold != null && hold.lease().owner().equals(owner)) {
            hold.lease().abandon();
            keeper.forget(hold.lease());
            holds.remove(hold.lease());
            call.caller().holds().remove(call.key(), hold);
        }
        place.leave();
        client.cleanup().undoHold(call.key(), owner, call.terms().lease().leaseNanos());
    }
}
