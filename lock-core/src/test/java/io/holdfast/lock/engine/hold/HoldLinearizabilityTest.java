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

    private final Hold hold = Holds.hold(
            LockKey.of("key"),
            Holds.terms("", Long.MAX_VALUE, Terms.UNLIMITED, Long.MAX_VALUE),
            new OwnerId("client", 1),
            1,
            0,
            Long.MAX_VALUE,
            () -> 0,
            (lost, loss) -> {});

    @Operation
    public Hold.Entry enter() {
        return hold.enter(true);
    }

    @Operation
    public Hold.Entry enterShared() {
        return hold.enter(false);
    }

    @Operation
    public Hold.Exit exit() {
        return hold.exit(true, true);
    }

    @Operation
    public Hold.Exit exitShared() {
        return hold.exit(true, false);
    }

    @Operation
    public void detach() {
        hold.detach();
    }

    @Operation
    public Hold.Exit exitDetached() {
        return hold.exit(false, true);
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
