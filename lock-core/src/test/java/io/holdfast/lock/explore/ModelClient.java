package io.holdfast.lock.explore;

import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.engine.hold.Holds;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.waiting.EntryAccess;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * One client that wants the lock: the rules of the engine's acquisition and release, one step at a time. Entries, claims and
 * leases are the real ones; what is written here is the order of calls, and what follows from an answer.
 *
 * <p>A client that dies is one that takes no step any more, and one that pauses takes none for a while: both are among the
 * courses that are explored anyway.
 */
final class ModelClient {

    /** What is left of a claim that somebody uses, as in the engine. */
    static final long SHORTEST_UNCONFIRMED = TimeUnit.MILLISECONDS.toNanos(500);

    enum Phase {
        IDLE,
        ASKING,
        QUEUED,
        HOLDING,
        RELEASING,
        LEAVING
    }

    final int number;
    final String clientId;
    final int limit;
    private final Setting setting;

    Phase phase = Phase.IDLE;
    int started;
    int restarts;
    int sequences;
    EntryAccess entry;
    long sentAt;
    boolean last;
    boolean resent;

    Message.What side;
    long sideSentAt;

    OwnerId held;
    /** By which token the store has granted it the lock last, wherever the news of that is. */
    long granted;

    long token;
    long deadline;
    boolean confirmed;
    private boolean revoked;
    boolean checked;

    ModelClient(int number, String clientId, int limit, Setting setting) {
        this.number = number;
        this.clientId = clientId;
        this.limit = limit;
        this.setting = setting;
    }

    ModelClient copy() {
        ModelClient copy = new ModelClient(number, clientId, limit, setting);
        copy.phase = phase;
        copy.started = started;
        copy.restarts = restarts;
        copy.sequences = sequences;
        copy.entry = ObjectGraph.copy(entry);
        copy.sentAt = sentAt;
        copy.last = last;
        copy.resent = resent;
        copy.side = side;
        copy.sideSentAt = sideSentAt;
        copy.held = held;
        copy.granted = granted;
        copy.token = token;
        copy.deadline = deadline;
        copy.confirmed = confirmed;
        copy.revoked = revoked;
        copy.checked = checked;
        return copy;
    }

    boolean isExclusive() {
        return limit == AcquireRequest.EXCLUSIVE;
    }

    boolean isCalled() {
        return phase == Phase.QUEUED && (boolean) ObjectGraph.read(entry.read(), "called");
    }

    /** Whether its handle answers that it holds the lock. */
    boolean holds() {
        return phase == Phase.HOLDING && hold().isLive();
    }

    private Hold hold() {
        Hold hold = Holds.hold(
                World.KEY,
                Holds.terms(Duration.ofNanos(setting.leaseNanos)),
                held,
                token,
                0,
                deadline,
                setting.clock,
                (lost, loss) -> {});
        if (revoked) {
            hold.lose(LossCause.REVOKED);
        }
        return hold;
    }

    void start(World world, boolean oneTry) {
        started++;
        restarts = setting.restarts;
        begin(world, oneTry);
    }

    /** A new owner id, and the first call by it. Clones draw different ones, unless that is the defect. */
    private void begin(World world, boolean oneTry) {
        sequences++;
        granted = 0;
        long sequence = setting.has(Defect.SAME_OWNER_IDS) ? sequences : 16L * (number + 1) + sequences;
        entry = new EntryAccess(World.KEY, new OwnerId(clientId, sequence));
        ask(world, oneTry);
    }

    private void ask(World world, boolean lastTry) {
        phase = Phase.ASKING;
        last = lastTry;
        entry.rearm();
        sentAt = setting.clock.nanos();
        world.send(this, Message.What.ACQUIRE, entry.owner(), !last, 0);
    }

    void answered(World world, Message.Answer answer) {
        switch (answer.what()) {
            case ACQUIRE -> acquired(world, (AcquireReply) answer.reply());
            case RELEASE, LEAVE -> end(world, "");
            case KEEP -> kept((EntryReply) answer.reply(), answer.owner());
            case RENEW -> renewed(world, (RenewReply) answer.reply(), answer.owner());
        }
    }

    private void acquired(World world, AcquireReply reply) {
        if (reply instanceof AcquireReply.Held refused) {
            if (last) {
                if (resent) {
                    undo(world, entry.owner());
                }
                end(world, "told of contention");
                return;
            }
            entry.answered(sentAt, setting.clock.nanos(), refused.storeMicros());
            phase = Phase.QUEUED;
            return;
        }
        long origin = setting.has(Defect.LEASE_COUNTS_FROM_ANSWER) ? setting.clock.nanos() : sentAt;
        long until = origin + setting.leaseNanos;
        boolean inTime = setting.clock.nanos() - until < 0 || setting.has(Defect.LATE_GRANT_IS_USED);
        if (reply instanceof AcquireReply.Granted granted && inTime) {
            hold(world, granted.token(), until, true);
        } else {
            undo(world, entry.owner());
            startOver(world);
        }
    }

    /** The grant came too late, or the acquisition was undone. */
    private void startOver(World world) {
        if (!last && restarts > 0) {
            restarts--;
            resent = false;
            begin(world, false);
        } else if (setting.has(Defect.LATE_GRANT_IS_CONTENTION)) {
            world.broken("P8: client " + clientId
                    + " is told of contention, though its last answer was a grant that came late");
        } else {
            end(world, "told that the store failed");
        }
    }

    private void hold(World world, long grantedToken, long until, boolean isConfirmed) {
        held = entry.owner();
        token = grantedToken;
        deadline = until;
        confirmed = isConfirmed;
        revoked = false;
        checked = false;
        phase = Phase.HOLDING;
        if (!isConfirmed) {
            Rules.checkClaim(world, this);
        }
        entry = null;
        world.dropSide(this);
        world.entered(this);
    }

    /** The waiter runs, since its entry was called, or since its budget is over. */
    void wake(World world, boolean budgetIsOver) {
        Claims.Claim claim = Claims.of(this, setting);
        if (claim != null && claim.deadline() - setting.clock.nanos() >= SHORTEST_UNCONFIRMED) {
            hold(world, claim.token(), claim.deadline(), false);
        } else {
            ask(world, budgetIsOver);
        }
    }

    /** Leaves before the exception is seen. */
    void interrupt(World world) {
        phase = Phase.LEAVING;
        world.dropSide(this);
        world.send(this, Message.What.LEAVE, entry.owner(), false, resent ? setting.leaseNanos : 0);
    }

    void poll(World world) {
        side = Message.What.KEEP;
        sideSentAt = setting.clock.nanos();
        world.send(this, side, entry.owner(), false, 0);
        answerNow(world);
    }

    private void kept(EntryReply reply, OwnerId owner) {
        side = null;
        if (entry != null && entry.owner().equals(owner) && reply instanceof EntryReply.Kept kept) {
            entry.kept(kept, sideSentAt, setting.clock.nanos());
        }
    }

    void renew(World world) {
        side = Message.What.RENEW;
        sideSentAt = setting.clock.nanos();
        world.send(this, side, held, false, 0);
        answerNow(world);
    }

    private void answerNow(World world) {
        if (!setting.slowPolls) {
            world.answerNow(this, side);
        }
    }

    private void renewed(World world, RenewReply reply, OwnerId owner) {
        side = null;
        if (phase != Phase.HOLDING || !owner.equals(held)) {
            return;
        }
        Hold hold = hold();
        if (reply instanceof RenewReply.Renewed) {
            confirmed |= hold.isLive();
            hold.extendTo(sideSentAt + setting.leaseNanos);
            deadline = hold.deadline();
        } else if (reply instanceof RenewReply.NotHolder) {
            if (setting.isFaithful() && !setting.clones && hold.isLive()) {
                world.broken("P2: client " + clientId + " is told in the middle of its lease that it is lost");
            }
            revoked = true;
        }
    }

    /** The handle is closed: a lock that is held is released, one that is lost is undone. */
    void close(World world) {
        world.dropSide(this);
        if (hold().isLive()) {
            phase = Phase.RELEASING;
            world.send(this, Message.What.RELEASE, held, false, 0);
        } else {
            undo(world, held);
            end(world, "told of the loss");
        }
    }

    /** The caller gave up a call, which may still arrive. */
    void failed(World world, Message.What what) {
        switch (what) {
            case ACQUIRE -> {
                undo(world, entry.owner());
                end(world, "told that the store failed");
            }
            case RELEASE, LEAVE -> end(world, "");
            case KEEP, RENEW -> side = null;
        }
    }

    private void undo(World world, OwnerId owner) {
        world.inBackground(this, owner, setting.has(Defect.NO_CANCELLATION) ? 0 : setting.leaseNanos);
    }

    private void end(World world, String outcome) {
        if (resent && held != null && phase == Phase.RELEASING) {
            undo(world, held);
        }
        world.note(outcome);
        granted = 0;
        world.dropSide(this);
        phase = Phase.IDLE;
        entry = null;
        held = null;
        token = 0;
        deadline = 0;
        sentAt = 0;
        last = false;
        resent = false;
        confirmed = false;
        revoked = false;
        checked = false;
    }

    void write(StateCode code, StateWriter writer, long clamp) {
        code.add(phase.ordinal());
        code.add(started);
        code.add(restarts);
        code.add(sequences);
        code.add((last ? 1 : 0) + (resent ? 2 : 0) + (confirmed ? 4 : 0) + (revoked ? 8 : 0) + (checked ? 16 : 0));
        writer.write(entry == null ? null : entry.read());
        if (phase == Phase.ASKING) {
            code.time(sentAt - setting.clock.nanos(), clamp);
        }
        code.token(granted, setting.tokenClock());
        code.add(side == null ? -1 : side.ordinal());
        if (side != null) {
            code.time(sideSentAt - setting.clock.nanos(), clamp);
        }
        if (phase == Phase.HOLDING) {
            code.time(deadline - setting.clock.nanos(), 0);
            code.token(token, setting.tokenClock());
        }
    }
}
