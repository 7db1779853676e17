package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.waiting.HandOff;
import io.holdfast.lock.waiting.Turn;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One caller's way to one lock: reenter, or else line up behind other callers of this client, wait at the store, be granted, and
 * hold a lease.
 *
 * <p>Whatever ends it without the lock leaves nothing behind: while it stands in line it leaves the line, and the front lets the
 * next one in, see {@link Turn} and {@link Acquisition}.
 */
final class Attempt implements Steps {

    private static final Logger log = LoggerFactory.getLogger(LockEngine.class);

    private enum At {
        START,
        LINE,
        STORE,
        END
    }

    private final Attempts attempts;
    private final Client client;
    private final Call call;

    private At at = At.START;
    private String clientId = "";
    private LockListener.@Nullable Acquisition observed;
    private Waits.@Nullable Wait wait;
    private @Nullable Turn turn;
    private @Nullable Acquisition acquisition;
    private @Nullable AcquireResult result;
    private LockEvent.@Nullable OfLock event;

    Attempt(Attempts attempts, Call call) {
        this.attempts = attempts;
        this.client = attempts.client();
        this.call = call;
    }

    @Override
    public AcquireResult result() {
        AcquireResult found = result;
        if (found == null) {
            throw new IllegalStateException("The attempt to get lock '" + call.key() + "' has not ended");
        }
        return found;
    }

    @Override
    public long proceed() throws InterruptedException {
        if (at == At.START && reenter()) {
            return 0;
        }
        long left;
        try (LockListener.Scope scope = EventPublisher.enter(observed)) {
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
            at = At.END;
            return true;
        }
        attempts.lifecycle().ensureOpen();
        clientId = client.id();
        if (attempts.events().hasListeners()) {
            observed = attempts.events().begin(call.key(), call.terms().name());
        }
        return false;
    }

    private long step() throws InterruptedException {
        if (at == At.START) {
            start();
        }
        if (at == At.LINE) {
            long left = inLine();
            if (left > 0) {
                return left;
            }
        }
        return at == At.STORE ? atStore() : 0;
    }

    private void start() {
        if (call.budget().isOneTry() && attempts.holds().findLive(call.key()) != null) {
            refused(sibling());
            return;
        }
        Waits.Wait begun = attempts.waits().of(call);
        wait = begun;
        if (!call.terms().usesGate()) {
            toStore();
            return;
        }
        Turn mine = lineUp();
        turn = mine;
        if (mine == null || mine.isFront()) {
            toStore();
            return;
        }
        at = At.LINE;
        try {
            begun.begin();
        } catch (LockOverloadException e) {
            if (mine.cancel()) {
                throw e;
            }
        }
    }

    private @Nullable Turn lineUp() {
        Object terms = call.terms().handOff();
        return call.budget().isOneTry()
                ? client.gates().tryEnter(call.key(), terms)
                : client.gates().enter(call.key(), terms, call.caller().waiter());
    }

    private void toStore() {
        acquisition = new Acquisition(client, call, Client.currentThread(), turn, required(wait));
        at = At.STORE;
    }

    private long inLine() {
        Turn mine = required(turn);
        long left = mine.look(call.budget());
        if (left > 0) {
            return left;
        }
        if (mine.isOver()) {
            refused(sibling().or(mine::blockedBy));
        } else if (!takeOver(mine)) {
            toStore();
        }
        return 0;
    }

    /** Whether the lock was handed off, and is still there. */
    private boolean takeOver(Turn mine) {
        HandOff handOff = mine.takeHandOff();
        if (handOff == null) {
            return false;
        }
        try {
            Handle handle = attempts.grants().open(call, handOff, Client.currentThread(), mine);
            if (handle != null) {
                granted(handle, true);
            }
            return handle != null;
        } catch (RuntimeException | Error e) {
            attempts.grants().giveBack(call, handOff.cohort().owner(), mine);
            throw e;
        }
    }

    private long atStore() throws InterruptedException {
        Acquisition asking = required(acquisition);
        long left = asking.proceed();
        if (left > 0) {
            return left;
        }
        Acquisition.Granted granted = asking.granted();
        if (granted == null) {
            refused(asking.blockedBy());
            return 0;
        }
        HolderInfo holder = asking.holder();
        try {
            granted(attempts.grants().open(call, granted, holder, turn), false);
        } catch (RuntimeException | Error e) {
            attempts.grants().giveBack(call, granted.owner(), turn);
            throw e;
        } finally {
            asking.end();
        }
        return 0;
    }

    private void granted(Handle handle, boolean handedOff) {
        result = new AcquireResult.Granted(handle);
        at = At.END;
        if (observed != null) {
            event = call.acquired(handle, handedOff);
        }
    }

    private void refused(Optional<LockHolder> holder) {
        var refused = new AcquireResult.Refused(call.key(), call.budget().spent(), holder);
        result = refused;
        at = At.END;
        if (observed != null) {
            event = call.notAcquired(refused);
        }
    }

    private void end() {
        endWait();
        tell(event);
        if (attempts.lifecycle().isOver(clientId) && result instanceof AcquireResult.Granted granted) {
            try {
                granted.handle().close();
            } catch (LockLostException e) {
                log.debug("Lock '{}' was acquired while the client was being closed", call.key(), e);
            }
            throw attempts.lifecycle().tooLate(call.key());
        }
    }

    private void fail(Throwable e) {
        at = At.END;
        endWait();
        if (observed != null) {
            tell(call.failed(e));
        }
    }

    private void tell(LockEvent.@Nullable OfLock outcome) {
        LockListener.Acquisition told = observed;
        if (told != null && outcome != null) {
            attempts.events().end(told, outcome);
        }
    }

    private void endWait() {
        if (wait != null) {
            wait.end();
        }
    }

    @Override
    public void interrupt(InterruptedException e) throws InterruptedException {
        try {
            if (at == At.LINE && required(turn).cancel()) {
                throw e;
            }
            if (at == At.STORE) {
                required(acquisition).interrupt(e);
            }
        } catch (InterruptedException | RuntimeException | Error ended) {
            fail(ended);
            throw ended;
        }
    }

    @Override
    public void abandon() {
        if (at == At.STORE) {
            required(acquisition).abandon();
        } else if (at == At.LINE) {
            leaveLine(required(turn));
        }
        at = At.END;
        endWait();
    }

    private void leaveLine(Turn mine) {
        if (!mine.cancel()) {
            HandOff handOff = mine.takeHandOff();
            if (handOff != null) {
                client.gates().dismiss(handOff.cohort());
                client.cleanup()
                        .undoHold(
                                call.key(),
                                handOff.cohort().owner(),
                                call.terms().lease().leaseNanos());
            }
            mine.pass(null);
        }
    }

    /** The thread of this client that has the lock alone, if one has. */
    private Optional<LockHolder> sibling() {
        LockKey key = call.key();
        return Optional.ofNullable(attempts.holds().findLive(key)).map(hold -> hold.describe(client.id()));
    }

    private static <T> T required(@Nullable T made) {
        if (made == null) {
            throw new IllegalStateException("An attempt went on before it was there");
        }
        return made;
    }
}
