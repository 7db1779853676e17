package io.holdfast.lock.explore;

import io.holdfast.lock.explore.Course.Event;
import io.holdfast.lock.explore.Course.Phase;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.RenewReply;
import org.jspecify.annotations.Nullable;

/**
 * One client that wants the lock. Its acquisition and release run in the engine, see {@link Course}; what is written here is what
 * else its threads do: they ask for its entry, and renew its lease, at any time.
 *
 * <p>A client that dies is one that takes no step any more, and one that pauses takes none for a while: both are among the
 * courses that are explored anyway.
 */
final class ModelClient {

    final int number;
    final String clientId;
    final int limit;
    private final Setting setting;

    /** Null if it does not want the lock. */
    private @Nullable Course course;

    int started;
    private int restarts;
    private int sequences;

    Message.What side;
    private long sideSentAt;

    /** By which token the store has granted it the lock last, wherever the news of that is. */
    long granted;

    boolean checked;

    ModelClient(int number, String clientId, int limit, Setting setting) {
        this.number = number;
        this.clientId = clientId;
        this.limit = limit;
        this.setting = setting;
    }

    ModelClient copy() {
        ModelClient copy = new ModelClient(number, clientId, limit, setting);
        copy.course = course;
        copy.started = started;
        copy.restarts = restarts;
        copy.sequences = sequences;
        copy.side = side;
        copy.sideSentAt = sideSentAt;
        copy.granted = granted;
        copy.checked = checked;
        return copy;
    }

    boolean isExclusive() {
        return limit == AcquireRequest.EXCLUSIVE;
    }

    boolean isIdle() {
        return course == null;
    }

    boolean isIn(Phase phase) {
        return course != null && course.result.phase() == phase;
    }

    /** Its acquisition, if it wants the lock or holds it. */
    @Nullable
    OwnerId owner() {
        return course == null ? null : course.result.owner();
    }

    /** Whether it waits for the lock under that owner id, or asks for it. */
    boolean awaits(OwnerId owner) {
        return (isIn(Phase.ASKING) || isIn(Phase.QUEUED)) && owner.equals(owner());
    }

    /** Whether its waiter was run. */
    boolean isWoken() {
        return isIn(Phase.QUEUED) && course.result.woken();
    }

    boolean mayGiveUp() {
        return isIn(Phase.QUEUED) || (isIn(Phase.ASKING) && !course.result.budgetIsOver());
    }

    /** Whether its handle answers that it holds the lock. */
    boolean holds() {
        return isIn(Phase.HOLDING) && course.result.hold().isLive(owner(), setting);
    }

    long token() {
        return course.result.hold().token();
    }

    long deadline() {
        return course.result.hold().deadline();
    }

    /** When the call was sent to which that is the answer. */
    long sentAt(Message.What what) {
        return what.isMain() ? course.result.sentAt() : sideSentAt;
    }

    /** Clones draw different owner ids, unless that is the defect. */
    void start(World world, boolean oneTry) {
        started++;
        restarts = setting.restarts;
        long sequence = sequences + 1 + (setting.has(Defect.SAME_OWNER_IDS) ? 0 : 16L * (number + 1));
        var caller = new Course.Caller(setting, clientId, limit, sequence);
        follow(world, Course.begin(caller, new Event.Begins(world.now, oneTry)));
    }

    private void happens(World world, Event event) {
        follow(world, course.after(event));
    }

    private void follow(World world, Course next) {
        Course.Result before = course == null ? null : course.result;
        Course.Result now = next.result;
        course = next;
        world.sync();
        now.sent().stream()
                .skip(before == null ? 0 : before.sent().size())
                .forEach(request -> world.inBackground(this, request));
        if (before == null || !now.owner().equals(before.owner())) {
            granted = 0;
        }
        if (side != null && (now.phase() != before.phase() || !now.owner().equals(before.owner()))) {
            boolean counts = side == Message.What.RENEW ? isIn(Phase.HOLDING) : awaits(before.owner());
            if (!counts) {
                world.dropSide(this);
            }
        }
        if (now.request() != null && (before == null || now.calls() > before.calls())) {
            world.send(this, now.request());
        }
        if (now.broken() != null) {
            world.broken(now.broken());
        }
        if (now.phase() == Phase.HOLDING && before.phase() != Phase.HOLDING) {
            if (!now.hold().confirmed()) {
                Rules.checkClaim(world, this);
            }
            world.entered(this);
        } else if (now.phase() == Phase.OVER) {
            world.note(now.outcome());
            sequences += now.owners();
            granted = 0;
            checked = false;
            course = null;
        }
    }

    void answered(World world, Message.Answer answer) {
        switch (answer.request().what()) {
            case ACQUIRE, RELEASE, LEAVE -> mainAnswered(world, answer.request(), answer.reply());
            case KEEP ->
                kept(world, (EntryReply) answer.reply(), answer.request().owner());
            case RENEW ->
                renewed(world, (RenewReply) answer.reply(), answer.request().owner());
        }
    }

    /** A grant that comes too late, or a cancelled acquisition, starts it over; in the end its budget is over. */
    private void mainAnswered(World world, Message.Request request, Object reply) {
        boolean acquire = request.what() == Message.What.ACQUIRE;
        if (acquire && !(reply instanceof AcquireReply.Held) && restarts == 0 && !course.result.budgetIsOver()) {
            happens(world, new Event.BudgetEnds(world.now));
        }
        int owners = course.result.owners();
        happens(world, new Event.IsAnswered(world.now, request, reply));
        restarts -= course != null && course.result.owners() > owners ? 1 : 0;
    }

    /** It goes on, since its waiter was run. */
    void wake(World world) {
        happens(world, new Event.GoesOn(world.now));
    }

    void budgetEnds(World world) {
        happens(world, new Event.BudgetEnds(world.now));
    }

    void interrupt(World world) {
        happens(world, new Event.IsInterrupted(world.now));
    }

    void granted(World world, Message.Granted hint) {
        happens(world, new Event.IsGranted(world.now, hint.owner().sequence(), hint.reservation()));
    }

    void poll(World world) {
        ask(world, Message.What.KEEP);
    }

    private void kept(World world, EntryReply reply, OwnerId owner) {
        side = null;
        if (awaits(owner) && reply instanceof EntryReply.Kept kept) {
            happens(world, new Event.IsKept(world.now, sideSentAt, kept));
        }
    }

    void renew(World world) {
        ask(world, Message.What.RENEW);
    }

    private void renewed(World world, RenewReply reply, OwnerId owner) {
        side = null;
        if (isIn(Phase.HOLDING) && owner.equals(owner())) {
            happens(world, new Event.IsRenewed(world.now, sideSentAt, reply));
        }
    }

    private void ask(World world, Message.What what) {
        side = what;
        sideSentAt = setting.clock.nanos();
        world.send(this, new Message.Request(what, owner(), ""));
        if (!setting.slowPolls) {
            world.answerNow(this, what);
        }
    }

    /** The handle is closed: a lock that is held is released, one that is lost is undone. */
    void close(World world) {
        happens(world, new Event.Closes(world.now));
    }

    /** A call got no reply, and may still arrive. */
    void failed(World world, Message.What what) {
        if (what.isMain()) {
            happens(world, new Event.IsAnswered(world.now, course.result.request(), Course.NO_REPLY));
        } else {
            side = null;
        }
    }

    void write(StateCode code, StateWriter writer, long clamp) {
        code.add(started);
        code.add(restarts);
        code.add(sequences);
        code.add(checked);
        if (course == null) {
            code.add(-1);
        } else {
            course.write(code, writer, clamp);
        }
        code.token(granted, setting.tokenClock());
        code.add(side == null ? -1 : side.ordinal());
        if (side != null) {
            code.time(sideSentAt - setting.clock.nanos(), clamp);
        }
    }
}
