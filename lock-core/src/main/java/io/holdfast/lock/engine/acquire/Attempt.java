package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.hold.Handle;
import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.waiting.Cohort;
import io.holdfast.lock.waiting.LocalQueue;
import io.holdfast.lock.waiting.LocalQueue.Place;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One caller's attempt to get one lock: reenter it, or line up behind other callers of this client, wait at the store, and get a
 * grant with a lease.
 *
 * <p>If it ends without the lock, nothing is left behind: a caller in line leaves the line, and the front lets the next one in,
 * see {@link Place} and {@link Acquisition}.
 */
public final class Attempt implements Steps {

    private static final Logger log = LoggerFactory.getLogger(Attempt.class);

    private enum At {
        START,
        /** In line behind others of this client, or its front. */
        LINE,
        STORE,
        /** The outcome is known. */
        ENDED,
        /** Listeners know the outcome. */
        TOLD
    }

    private final Attempts attempts;
    private final ClientContext client;
    private final Call call;
    private final Waits.Wait wait;

    private At at = At.START;
    private String clientId = "";
    private LockListener.@Nullable Acquisition observed;
    private @Nullable Place place;
    private @Nullable Acquisition acquisition;
    private @Nullable HolderInfo holder;
    private @Nullable AcquireResult result;
    private LockEvent.@Nullable OfLock event;

    public Attempt(Attempts attempts, Call call) {
        this.attempts = attempts;
        this.client = attempts.client();
        this.call = call;
        this.wait = new Waits.Wait(attempts.waits(), call);
    }

    @Override
    public AcquireResult result() {
        AcquireResult found = result;
        if (found == null) {
            throw new IllegalStateException("The attempt to acquire lock '" + call.key() + "' is still in progress");
        }
        return found;
    }

    @Override
    public void lineUp() {
        if (at == At.START && !reenter()) {
            try {
                start();
            } catch (RuntimeException | Error e) {
                fail(e);
                throw e;
            }
        }
    }

    @Override
    public long proceed() throws InterruptedException {
        lineUp();
        if (at == At.TOLD) {
            return 0;
        }
        long left;
        try (LockListener.Scope scope = observed == null ? LockListener.Scope.NOTHING : observed.onThread()) {
            left = step();
        } catch (InterruptedException | RuntimeException | Error e) {
            fail(e);
            throw e;
        }
        if (left == 0) {
            end();
        }
        return left;
    }

    private boolean reenter() {
        result = attempts.reentry().reenter(call);
        if (result != null) {
            at = At.TOLD;
            return true;
        }
        attempts.locks().ensureOpen();
        clientId = client.id();
        if (attempts.events().hasListeners()) {
            observed = attempts.events().begin(call.key(), call.terms().name());
        }
        return false;
    }

    private long step() throws InterruptedException {
        if (at == At.LINE) {
            long left = inLine();
            if (left > 0) {
                return left;
            }
        }
        return at == At.STORE ? atStore() : 0;
    }

    private void start() {
        boolean oneTry = call.budget().isOneTry();
        if (oneTry && attempts.locks().findLive(call.key()) != null) {
            refused(sibling());
            return;
        }
        Place mine = enter(oneTry);
        place = mine;
        at = At.LINE;
        if (mine.isInLine()) {
            try {
                wait.begin();
            } catch (LockOverloadException e) {
                if (mine.cancel()) {
                    throw e;
                }
            }
        }
    }

    /** A single try that finds other callers of this client in line calls the store independently of them. */
    private Place enter(boolean oneTry) {
        Object terms = call.terms().handOffTerms();
        LocalQueue queue = client.queue();
        Runnable waiter = call.caller().waiter();
        if (!oneTry) {
            return queue.enter(call.key(), terms, waiter);
        }
        Place alone = queue.tryEnter(call.key(), terms, waiter);
        return alone != null ? alone : queue.enter(call.key(), null, waiter);
    }

    private long inLine() {
        Place mine = required(place);
        long left = mine.look(call.budget());
        if (left > 0) {
            return left;
        }
        if (mine.isOver()) {
            refused(sibling().or(mine::blockedBy));
        } else if (!takeOver(mine)) {
            holder = ClientContext.currentThread();
            acquisition = new Acquisition(client, call, holder, mine, wait);
            at = At.STORE;
        }
        return 0;
    }

    /** Whether the lock was handed off, and is still held. */
    private boolean takeOver(Place mine) {
        Cohort handOff = mine.takeHandOff();
        if (handOff == null) {
            return false;
        }
        long now = client.ticker().nanos();
        if (handOff.deadline() - now <= 0) {
            mine.notHeld();
            client.cleanup().undoHold(call.key(), handOff.owner(), call.terms().leaseNanos());
            return false;
        }
        var grant = new Hold.Grant(
                handOff.owner(), handOff.lastToken(), now, handOff.deadline(), 0, Waiters.NONE, false, false);
        try {
            granted(call.open(attempts.locks(), grant, ClientContext.currentThread(), mine), true);
            return true;
        } catch (RuntimeException | Error e) {
            call.giveBack(attempts.locks(), handOff.owner(), mine);
            throw e;
        }
    }

    private long atStore() throws InterruptedException {
        Acquisition asking = required(acquisition);
        long left = asking.proceed();
        if (left > 0) {
            return left;
        }
        Hold.Grant granted = asking.granted();
        if (granted == null) {
            refused(asking.blockedBy());
            return 0;
        }
        try {
            granted(call.open(attempts.locks(), granted, required(holder), required(place)), false);
        } catch (RuntimeException | Error e) {
            call.giveBack(attempts.locks(), granted.owner(), required(place));
            throw e;
        } finally {
            asking.end();
        }
        return 0;
    }

    private void granted(Handle handle, boolean handedOff) {
        result = new AcquireResult.Granted(handle);
        at = At.ENDED;
        if (observed != null) {
            event = call.acquired(handle, handedOff);
        }
    }

    private void refused(Optional<LockHolder> holder) {
        var refused = new AcquireResult.Refused(
                call.key(), call.budget().spent(), holder, !call.budget().isOneTry(), wait.nestedId());
        result = refused;
        at = At.ENDED;
        if (observed != null) {
            event = call.notAcquired(refused);
        }
    }

    private void end() {
        at = At.TOLD;
        wait.end(result instanceof AcquireResult.Refused);
        tell(event);
        if (attempts.locks().isOver(clientId) && result instanceof AcquireResult.Granted granted) {
            try {
                granted.handle().close();
            } catch (LockLostException e) {
                log.debug("Lock '{}' was acquired while the client was being closed", call.key(), e);
            }
            throw attempts.locks().tooLate(call.key());
        }
    }

    /** Lets the next one in line in, whatever goes wrong. Does nothing if listeners know the outcome already. */
    private void fail(Throwable e) {
        if (at == At.TOLD) {
            return;
        }
        Place inLine = at == At.LINE ? place : null;
        at = At.TOLD;
        try {
            if (inLine != null && !inLine.isOver()) {
                leaveLine(inLine);
            }
        } catch (RuntimeException | Error another) {
            e.addSuppressed(another);
        } finally {
            wait.end(false);
            if (observed != null) {
                tell(call.failed(e));
            }
        }
    }

    private void tell(LockEvent.@Nullable OfLock outcome) {
        LockListener.Acquisition told = observed;
        if (told != null && outcome != null) {
            attempts.events().end(told, outcome);
        }
    }

    /**
     * A caller that has become the front calls the store once more before it gives up, to pass on what the former front has left
     * behind.
     */
    @Override
    public void interrupt(InterruptedException e) throws InterruptedException {
        try {
            if (at == At.STORE) {
                required(acquisition).interrupt(e);
            } else if (at != At.LINE || required(place).cancel()) {
                throw e;
            }
        } catch (InterruptedException | RuntimeException | Error ended) {
            fail(ended);
            throw ended;
        }
    }

    @Override
    public void abandon(Throwable why) {
        try {
            if (at == At.STORE) {
                required(acquisition).abandon();
            }
        } finally {
            fail(why);
        }
    }

    private void leaveLine(Place mine) {
        if (mine.cancel()) {
            return;
        }
        try {
            Cohort handOff = mine.takeHandOff();
            if (handOff != null) {
                call.giveBack(attempts.locks(), handOff.owner(), mine);
            } else {
                new Acquisition(client, call, ClientContext.currentThread(), mine, wait).abandon();
            }
        } finally {
            mine.leave();
        }
    }

    /** The thread of this client that holds the lock exclusively, if there is one. */
    private Optional<LockHolder> sibling() {
        LockKey key = call.key();
        return Optional.ofNullable(attempts.locks().findLive(key)).map(hold -> hold.describe(client.id()));
    }

    private static <T> T required(@Nullable T made) {
        if (made == null) {
            throw new IllegalStateException("The attempt continued before it was ready");
        }
        return made;
    }
}
