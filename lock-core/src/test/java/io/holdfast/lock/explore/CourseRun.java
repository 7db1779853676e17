package io.holdfast.lock.explore;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.engine.acquire.Acquisition;
import io.holdfast.lock.engine.acquire.Steps;
import io.holdfast.lock.engine.acquire.Waits;
import io.holdfast.lock.engine.client.Cleanup;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.engine.hold.AcquireResult;
import io.holdfast.lock.engine.hold.HeldLocks;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;
import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.engine.hold.Holds;
import io.holdfast.lock.engine.hold.Terms;
import io.holdfast.lock.explore.Course.Event;
import io.holdfast.lock.explore.Course.Phase;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.ManualThreads;
import io.holdfast.lock.testing.NoStore;
import io.holdfast.lock.waiting.Budget;
import io.holdfast.lock.waiting.EntryAccess;
import io.holdfast.lock.waiting.QueueEntry;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a {@link Course}: a client of its own, whose caller takes the steps that a waiting thread takes. This is also the store that
 * the client calls. Calls of the client's background threads are sent at once, and their replies do not count.
 */
final class CourseRun extends NoStore {

    private static final EventPublisher NO_LISTENERS = new EventPublisher(List.of());
    private static final long LONG = Duration.ofDays(365).toNanos();

    private final Course.Caller caller;
    private final Setting setting;
    private final List<Event> events;
    private int taken;

    private final ManualThreads cleaners = new ManualThreads();
    private final ClientContext client;
    private final Steps acquisition;
    private long budgetClock;
    private boolean budgetIsOver;
    private boolean woken;
    private int owners;
    private int calls;
    private boolean inBackground;
    private final List<Message.Request> sent = new ArrayList<>();

    private @Nullable LockHandle handle;
    private @Nullable Object lastReply;
    private int acquiresPastBudget;
    private boolean over;
    private String outcome = "";
    private @Nullable String broken;
    private Course.@Nullable Result result;

    CourseRun(Course.Caller caller, List<Event> events) {
        this.caller = caller;
        this.setting = caller.setting();
        this.events = events;
        setting.clock.set(events.get(0).at());
        client = new ClientContext(this, new Cleanup(this, cleaners), setting.clock, false, caller.clientId());
        LongSupplier sequences = () -> caller.firstSequence() + owners++;
        ObjectGraph.set(client.queue(), "sequences", sequences);
        HeldLocks locks = Holds.locks(client, NO_LISTENERS);
        Waits waits = new Waits(client, false);
        Budget budget = Budget.of(() -> budgetClock, isOneTry() ? 0 : LONG);
        budgetIsOver = isOneTry();
        Terms terms = Holds.of(World.KEY, Holds.terms(Duration.ofNanos(setting.leaseNanos), caller.limit()));
        Caller waiting = new Caller(new HashMap<>(), () -> woken = true, true, false, true);
        acquisition = setting.mutant == null
                ? new Acquisition(
                        new Acquisition.Shared(client, locks, waits, NO_LISTENERS, () -> null), terms, budget, waiting)
                : setting.mutant.acquisition(client, locks, waits, NO_LISTENERS, terms, budget, waiting);
    }

    private boolean isOneTry() {
        return ((Event.Begins) events.get(0)).oneTry();
    }

    Course.Result run() {
        try {
            while (taken < events.size() && result == null) {
                Event event = events.get(taken++);
                setting.clock.set(event.at());
                take(event);
            }
            sendLater();
            note(null, 0);
            return result;
        } finally {
            client.queue().close();
        }
    }

    private void take(Event event) {
        if (event instanceof Event.Begins || event instanceof Event.GoesOn) {
            goOn();
        } else if (event instanceof Event.BudgetEnds) {
            meanwhile(event);
            goOn();
        } else if (event instanceof Event.IsInterrupted) {
            ends(() -> acquisition.interrupt(new InterruptedException()));
        } else if (event instanceof Event.IsRenewed renewed) {
            renewed(renewed);
        } else if (event instanceof Event.Closes) {
            closed();
        } else {
            meanwhile(event);
        }
    }

    /** What happens while the caller waits, for a reply or for the lock. */
    private void meanwhile(Event event) {
        if (event instanceof Event.BudgetEnds) {
            budgetClock = LONG;
            budgetIsOver = true;
        } else if (event instanceof Event.IsGranted granted) {
            client.queue().entries.granted(granted.sequence(), granted.reservation());
        } else if (event instanceof Event.IsKept kept) {
            EntryAccess.kept(entry(), kept.reply(), kept.askedAt(), setting.clock.nanos());
        } else {
            throw new IllegalStateException(event + " comes out of order");
        }
    }

    // What the caller does.

    private interface Step {
        void run() throws InterruptedException;
    }

    private void goOn() {
        woken = false;
        ends(() -> {
            if (acquisition.proceed() == 0) {
                reported(acquisition.result());
            }
        });
    }

    private void ends(Step step) {
        try {
            step.run();
        } catch (InterruptedException e) {
            end("interrupted");
        } catch (LockStoreException e) {
            end("told that the store failed");
            if (result == null && lastReply instanceof AcquireReply.Held) {
                broken("P8", "is told that the store failed, though its last answer was that the lock is held");
            }
        } catch (NotAnswered e) {
            // the result is known
        }
    }

    private void reported(AcquireResult found) {
        if (found instanceof LockHandle acquired) {
            handle = acquired;
        } else {
            end("told of contention");
            if (!(lastReply instanceof AcquireReply.Held)) {
                broken("P8", "is told of contention, though its last answer was not that the lock is held");
            }
        }
    }

    private void end(String outcomeText) {
        over = true;
        outcome = outcomeText;
    }

    private void broken(String promise, String what) {
        if (result == null && broken == null) {
            broken = promise + ": client " + caller.clientId() + " " + what;
        }
    }

    private void renewed(Event.IsRenewed renewed) {
        Hold hold = hold();
        if (renewed.reply() instanceof RenewReply.Renewed) {
            hold.extendTo(renewed.askedAt() + setting.leaseNanos);
        } else if (renewed.reply() instanceof RenewReply.NotHolder) {
            lost(hold.isLive());
            hold.lose(LossCause.REVOKED);
        }
    }

    private void closed() {
        boolean live = hold().isLive();
        try {
            handle.close();
            end("");
        } catch (LockLostException e) {
            end("told of the loss");
            lost(live && hold().deadline() - setting.clock.nanos() > 0);
        } catch (NotAnswered e) {
            // the result is known
        }
    }

    private void lost(boolean early) {
        if (early && setting.isFaithful() && !setting.clones) {
            broken("P2", "is told in the middle of its lease that it is lost");
        }
    }

    // The store.

    /** A call that the caller waits for. */
    private Object call(Message.What what, OwnerId owner, Object body) {
        if (result != null) {
            throw NotAnswered.ERROR;
        }
        sendLater();
        calls++;
        long sentAt = setting.clock.nanos();
        Message.Request request = new Message.Request(what, owner, body);
        if (what == Message.What.ACQUIRE) {
            acquiresPastBudget += budgetIsOver ? 1 : 0;
        }
        while (taken < events.size()) {
            Event event = events.get(taken++);
            setting.clock.set(event.at());
            if (event instanceof Event.IsAnswered answered) {
                return reply(request, answered);
            }
            if (event instanceof Event.BudgetEnds && what == Message.What.ACQUIRE) {
                acquiresPastBudget++;
            }
            meanwhile(event);
        }
        if (acquiresPastBudget > 1) {
            broken("P6", "calls the store once more, though its budget was over before the last call was answered");
        }
        note(request, sentAt);
        throw NotAnswered.ERROR;
    }

    private Object reply(Message.Request request, Event.IsAnswered answered) {
        if (!request.equals(answered.request())) {
            throw new IllegalStateException("The engine calls " + request + ", and has called " + answered.request()
                    + " in the same situation before");
        }
        if (request.what() == Message.What.ACQUIRE) {
            lastReply = answered.reply();
        }
        if (answered.reply() == Course.NO_REPLY) {
            throw new LockStoreException("No reply", null, true);
        }
        return answered.reply();
    }

    private void sendLater() {
        if (result == null) {
            inBackground = true;
            cleaners.run();
            inBackground = false;
        }
    }

    @Override
    public AcquireReply acquire(AcquireRequest request) {
        return (AcquireReply) call(Message.What.ACQUIRE, request.owner(), request);
    }

    @Override
    public ReleaseReply release(ReleaseRequest request) {
        if (inBackground) {
            sent.add(new Message.Request(Message.What.RELEASE, request.owner(), request));
            return ReleaseReply.RELEASED;
        }
        return (ReleaseReply) call(Message.What.RELEASE, request.owner(), request);
    }

    @Override
    public void leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastFencingToken) {
        var body = new Message.Leave(cancelledFor.isZero() ? 0 : setting.leaseNanos, lastFencingToken);
        if (inBackground) {
            sent.add(new Message.Request(Message.What.LEAVE, owner, body));
        } else {
            call(Message.What.LEAVE, owner, body);
        }
    }

    @Override
    public Listening listen(String clientId, WakeListener listener) {
        return () -> {};
    }

    // What came of it.

    private QueueEntry entry() {
        return (QueueEntry) ObjectGraph.read(acquisition, "entry");
    }

    private Hold hold() {
        return Holds.of(handle);
    }

    /** Once, before the engine is stopped. */
    private void note(Message.@Nullable Request request, long sentAt) {
        if (result == null) {
            Phase phase = phase(request);
            boolean waits = phase == Phase.ASKING || phase == Phase.QUEUED;
            result = new Course.Result(
                    phase,
                    owners,
                    handle == null ? entry().owner : hold().owner(),
                    calls,
                    request,
                    sentAt,
                    List.copyOf(sent),
                    flags(),
                    budgetIsOver,
                    woken,
                    waits ? ObjectGraph.copy(entry()) : null,
                    handle == null ? null : held(),
                    outcome,
                    broken);
        }
    }

    private Phase phase(Message.@Nullable Request request) {
        if (request == null) {
            return over ? Phase.OVER : handle == null ? Phase.QUEUED : Phase.HOLDING;
        }
        return switch (request.what()) {
            case ACQUIRE -> Phase.ASKING;
            case RELEASE -> Phase.RELEASING;
            case LEAVE -> Phase.LEAVING;
            case KEEP, RENEW -> throw new IllegalStateException("No caller waits for a " + request.what());
        };
    }

    private Course.Held held() {
        Hold hold = hold();
        QueueEntry.Grant grant = (QueueEntry.Grant) ObjectGraph.read(hold, "grant");
        return new Course.Held(grant.token(), hold.deadline(), grant.confirmed(), hold.isLost(), grant.resent());
    }

    /** What the acquisition remembers, but for its entry and when it last called. */
    private long flags() {
        long flags = 0;
        try {
            for (Field field : ObjectGraph.fieldsOf(acquisition.getClass())) {
                if (field.getType() == boolean.class) {
                    flags = 2 * flags + (field.getBoolean(acquisition) ? 1 : 0);
                } else if (field.getType().isEnum()) {
                    flags = 16 * flags + ((Enum<?>) field.get(acquisition)).ordinal();
                } else if (field.getType().isPrimitive() && field.getType() != long.class) {
                    throw new IllegalStateException("The exploration has to know what " + field + " means");
                }
            }
        } catch (IllegalAccessException e) {
            throw new LinkageError("A field cannot be read", e);
        }
        return flags;
    }
}
