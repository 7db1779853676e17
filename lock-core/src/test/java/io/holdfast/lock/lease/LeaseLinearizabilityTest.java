package io.holdfast.lock.lease;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.OwnerId;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * Every interleaving of threads that enter, leave and abandon one lease has the outcome of some order of whole steps.
 * Forbidden: two last exits; a thread that entered what another one has closed.
 */
public class LeaseLinearizabilityTest {

    private final Lease lease = new Lease(
            LockKey.of("key"),
            new OwnerId("client", 1),
            1,
            new LeaseTerms(Long.MAX_VALUE, LeaseTerms.UNLIMITED, Long.MAX_VALUE),
            Thread.currentThread(),
            0,
            () -> 0,
            new RecordedEvents());

    @Operation
    public boolean enter() {
        return lease.enter();
    }

    @Operation
    public boolean exit() {
        return lease.exit(true);
    }

    @Operation
    public void detach() {
        lease.detach();
    }

    @Operation
    public boolean exitDetached() {
        return lease.exit(false);
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
