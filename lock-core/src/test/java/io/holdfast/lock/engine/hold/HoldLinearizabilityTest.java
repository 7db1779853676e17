package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.OwnerId;
import java.util.concurrent.TimeUnit;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every interleaving of threads that enter, leave and abandon one lease has the outcome of some order of whole steps.
 * Forbidden: two last exits; a thread that entered what another one has closed.
 */
@Tag("full")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
public class HoldLinearizabilityTest {

    private static final Terms TERMS = Holds.terms("", Long.MAX_VALUE, Terms.UNLIMITED, Long.MAX_VALUE);

    /** Without a place, which no step here needs: a mock does not work in code that the model checker has changed. */
    private final Hold hold = Holds.hold(
            LockKey.of("key"),
            TERMS,
            new OwnerId("client", 1),
            1,
            0,
            Long.MAX_VALUE,
            null,
            () -> 0,
            (lost, loss) -> {});

    private final Hold.Use first = hold.open(TERMS, null);
    private final Hold.Use shared = hold.open(Holds.shared(TERMS), null);

    @Operation
    public boolean enter() {
        return hold.enter(TERMS, null) != null;
    }

    @Operation
    public boolean enterShared() {
        return hold.enter(Holds.shared(TERMS), null) != null;
    }

    @Operation
    public Hold.Exit exit() {
        return hold.exit(first);
    }

    @Operation
    public Hold.Exit exitShared() {
        return hold.exit(shared);
    }

    @Operation
    public void detach() {
        hold.detach(first);
    }

    @Operation
    public void detachShared() {
        hold.detach(shared);
    }

    @Operation
    public boolean abandon() {
        return hold.abandon();
    }

    @Test
    void steps_on_a_lease_are_atomic() {
        new ModelCheckingOptions()
                .actorsBefore(0)
                .threads(2)
                .actorsPerThread(2)
                .actorsAfter(1)
                .iterations(5)
                .invocationsPerIteration(200)
                .check(HoldLinearizabilityTest.class);
    }
}
