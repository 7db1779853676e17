package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.RedisLockSettings.ReplicaAcks;
import io.holdfast.lock.redis.Wire.ScriptCall;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.RenewReply;
import java.util.List;
import java.util.Objects;

/** Grants and renewals count only once enough replicas have them, if that is wanted. */
final class Acknowledgements {

    private final ReplicaAcks settings;

    Acknowledgements(ReplicaAcks settings) {
        this.settings = settings;
    }

    ReplicaAcks settings() {
        return settings;
    }

    boolean wanted() {
        return settings.wanted();
    }

    /**
     * Sends an acquisition.
     *
     * @throws LockStoreException if it was granted, but too few replicas have that: its caller undoes it, as whenever the
     *     outcome is not known
     */
    AcquireReply acquire(Channel channel, ScriptCall call) {
        WireCalls.Results sent = Objects.requireNonNull(channel.wire()).sendUntilCounted(call, settings);
        AcquireReply reply = Replies.acquire(sent.results().get(0).orThrow(), !sent.firstSend());
        long replicas = sent.moved() ? 0 : sent.replicas();
        if (reply instanceof AcquireReply.Granted && replicas < settings.number()) {
            throw new LockStoreException("The lock was granted, but " + tooFew(replicas), null, true);
        }
        return reply;
    }

    /** Whatever was renewed failed, if too few replicas know of it. */
    List<RenewReply> check(List<RenewReply> replies, long replicas) {
        if (replicas >= settings.number()) {
            return replies;
        }
        return replies.stream()
                .map(reply -> reply instanceof RenewReply.Renewed ? new RenewReply.Failed(tooFew(replicas)) : reply)
                .toList();
    }

    private String tooFew(long replicas) {
        return "only " + replicas + " of " + settings.number() + " replicas acknowledged that within "
                + settings.timeout().toMillis()
                + " ms, so it does not count. Check replication, and holdfast.redis.replica-acks.";
    }
}
