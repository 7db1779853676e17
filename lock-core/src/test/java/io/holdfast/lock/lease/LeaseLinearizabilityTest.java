package io.holdfast.lock.lease;

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
public class LeaseLinearizabilityTest {

    private final Lease lease = new Lease(
            new Grant(LockKey.of("key"), "", new OwnerId("client", 1), 1, true, 0, Long.MAX_VALUE),
            new LeaseTerms(Long.MAX_VALUE, LeaseTerms.UNLIMITED, Long.MAX_VALUE),
            () -> 0,
            new RecordedEvents());

    @Operation
    public Lease.Entry enter() {
        return lease.enter(true);
    }

    @Operation
    public Lease.Entry enterShared() {
        return lease.enter(false);
    }

    @Operation
    public Lease.Exit exit() {
        return lease.exit(true, true);
    }

    @Operation
    public Lease.Exit exitShared() {
        return lease.exit(true, false);
    }

    @Operation
    public void detach() {
        lease.detach();
    }

    @Operation
    public Lease.Exit exitDetached() {
        return lease.exit(false, true);
    }

    @Operation
    public boolean abandon() {
        return lease.abandon();
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
                .check(LeaseLinearizabilityTest.class);
    }
}
