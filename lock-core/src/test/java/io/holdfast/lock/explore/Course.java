package io.holdfast.lock.explore;

import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.engine.hold.Holds;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.waiting.QueueEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition by the real engine, from the caller's request until the lock is given back: what has happened to it so far, and
 * where that has led.
 *
 * <p>The engine calls the store and waits for the reply; here, time passes meanwhile, and others take steps. So with each thing
 * that happens, a course is run anew from its beginning ({@link CourseRun}): its store repeats the replies that are known, and stops
 * the run at the first call that has none yet. A course never changes, and what can follow from it is run once.
 */
final class Course {

    enum Phase {
        ASKING,
        QUEUED,
        HOLDING,
        RELEASING,
        LEAVING,
        OVER
    }

    /** The caller of a call got no reply. */
    static final Object NO_REPLY = "no reply";

    /** What happens to an acquisition, and when, in nanoseconds since the start. */
    sealed interface Event {

        long at();

        record Begins(long at, boolean oneTry) implements Event {}

        /** Its waiter was run. */
        record GoesOn(long at) implements Event {}

        record BudgetEnds(long at) implements Event {}

        record IsInterrupted(long at) implements Event {}

        record IsGranted(long at, long sequence, Reservation reservation) implements Event {}

        record IsKept(long at, long askedAt, EntryReply.Kept reply) implements Event {}

        record IsRenewed(long at, long askedAt, RenewReply reply) implements Event {}

        record Closes(long at) implements Event {}

        /** The store's reply to the call that it waits for, or {@link #NO_REPLY}. */
        record IsAnswered(long at, Message.Request request, Object reply) implements Event {}
    }

    /**
     * Who acquires the lock.
     *
     * @param firstSequence of its owner ids
     */
    record Caller(Setting setting, String clientId, int limit, long firstSequence) {}

    /**
     * Where the events have led.
     *
     * @param owners how many owner ids were drawn
     * @param owner of the last one of them
     * @param calls how many calls were made that the caller waits for
     * @param request the last one of these, if there is no reply yet
     * @param sentAt when that was sent, on the ticker
     * @param sent what was sent in the background
     * @param flags of the acquisition
     * @param budgetIsOver whether there is no time for another call
     * @param woken whether the waiter was run
     * @param entry of one that waits, or asks
     * @param hold of one that holds the lock, or gives it back
     * @param outcome what the caller was told, if it is over
     * @param broken which promise it has broken by itself, or null
     */
    record Result(
            Phase phase,
            int owners,
            @Nullable OwnerId owner,
            int calls,
            Message.@Nullable Request request,
            long sentAt,
            List<Message.Request> sent,
            long flags,
            boolean budgetIsOver,
            boolean woken,
            @Nullable QueueEntry entry,
            @Nullable Held hold,
            String outcome,
            @Nullable String broken) {}

    /**
     * A hold.
     *
     * @param resent whether a send of its acquisition may still arrive
     */
    record Held(long token, long deadline, boolean confirmed, boolean lost, boolean resent) {

        /** Whether its handle answers that the lock is held. */
        boolean isLive(OwnerId owner, Setting setting) {
            Hold hold = Holds.hold(
                    World.KEY,
                    Holds.terms(Duration.ofNanos(setting.leaseNanos)),
                    owner,
                    token,
                    0,
                    deadline,
                    setting.clock,
                    (same, loss) -> {});
            return !lost && hold.isLive();
        }
    }

    private final Caller caller;
    private final List<Event> events;
    final Result result;
    private final Map<Event, Course> next = new HashMap<>(2);

    private Course(Caller caller, List<Event> events) {
        this.caller = caller;
        this.events = events;
        this.result = new CourseRun(caller, events).run();
    }

    static Course begin(Caller caller, Event.Begins event) {
        return caller.setting.begun.computeIfAbsent(
                List.of(caller.clientId, caller.limit, caller.firstSequence, event),
                same -> new Course(caller, List.of(event)));
    }

    Course after(Event event) {
        return next.computeIfAbsent(event, same -> {
            List<Event> longer = new ArrayList<>(events);
            longer.add(event);
            return new Course(caller, longer);
        });
    }

    void write(StateCode code, StateWriter writer, long clamp) {
        Setting setting = caller.setting;
        code.add(result.phase.ordinal());
        switch (result.phase) {
            case ASKING -> {
                code.add(2 * result.flags + (result.budgetIsOver ? 1 : 0));
                writer.write(result.entry);
                code.time(result.sentAt - setting.clock.nanos(), clamp);
            }
            case QUEUED -> {
                code.add(2 * result.flags + (result.woken ? 1 : 0));
                writer.write(result.entry);
            }
            case LEAVING -> code.add(result.flags);
            case HOLDING -> {
                code.add((result.hold.lost ? 1 : 0) + (result.hold.resent ? 2 : 0));
                code.time(result.hold.deadline - setting.clock.nanos(), 0);
                code.token(result.hold.token, setting.tokenClock());
            }
            case RELEASING -> code.add(result.hold.resent);
            case OVER -> {}
        }
    }
}
