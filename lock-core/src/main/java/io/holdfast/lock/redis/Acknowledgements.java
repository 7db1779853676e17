package io.holdfast.lock.redis;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.RedisLockSettings.ReplicaAcks;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.Reservation;
import java.util.List;

/** If configured, grants and renewals count only once enough replicas have acknowledged them. */
final class Acknowledgements {

    private final Wire.Acks acks;

    Acknowledgements(ReplicaAcks settings) {
        this.acks = new Wire.Acks(settings.number(), settings.timeout());
    }

    Wire.Acks acks() {
        return acks;
    }

    boolean wanted() {
        return acks.wanted();
    }

    /**
     * Sends an acquisition.
     *
     * @throws LockStoreException if it was granted, but too few replicas have acknowledged it: the caller undoes it, as after any
     *     unknown outcome
     */
    AcquireReply acquire(ScriptClient client, ScriptCall call) {
        ScriptClient.Results sent = client.sendUntilCounted(call, acks);
        AcquireReply reply = ScriptDecoder.acquire(sent.results().get(0).orThrow(), !sent.firstSend());
        long replicas = sent.moved() ? 0 : sent.replicas();
        if (reply instanceof AcquireReply.Granted && replicas < acks.number()) {
            throw new LockStoreException("The lock was granted, but " + tooFew(replicas), null, true);
        }
        return reply;
    }

    /** Turns renewals into failures if too few replicas have acknowledged them. */
    List<RenewReply> check(List<RenewReply> replies, long replicas) {
        if (replicas >= acks.number()) {
            return replies;
        }
        return replies.stream()
                .map(reply -> reply instanceof RenewReply.Renewed ? new RenewReply.Failed(tooFew(replicas)) : reply)
                .toList();
    }

    /**
     * {@return a grant by message as it counts} If acknowledgements are required, it has ended already, because it is unknown
     * whether the replicas have it. So the waiter calls the store, and that call waits for the replicas.
     *
     * @param told the reservation in the message
     */
    Reservation byMessage(Reservation told) {
        return wanted()
                ? new Reservation(told.token(), told.tokens(), told.waiters(), told.atMicros(), told.atMicros())
                : told;
    }

    private String tooFew(long replicas) {
        return "only " + replicas + " of " + acks.number() + " replicas acknowledged it within "
                + DurationText.of(acks.timeout())
                + ", so the call counts as failed. Check replication and the setting holdfast.redis.replica-acks.";
    }
}
