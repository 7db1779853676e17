package io.holdfast.lock.waiting;

import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Waiters;
import java.util.concurrent.TimeUnit;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Hints about who waits at the store come on any thread while the holder hands the lock on: every interleaving has the
 * outcome of some order of whole steps. Forbidden: a handoff after somebody fair was announced, by whomever; a token that is
 * handed out twice.
 */
@Tag("full")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
public class CohortLinearizabilityTest {

    private static final long MICRO = 1000;

    private final long[] now = {0};
    private final Cohort cohort = Cohorts.of(new OwnerId("c", 1), 1, 100, Waiters.NONE, () -> now[0]);

    /** By the thread that hears what the store says, or by a holder who looks at what its entry was told. */
    @Operation
    public void announceUnfair() {
        cohort.awaited(Waiters.UNFAIR);
    }

    @Operation
    public void announceFair() {
        cohort.awaited(Waiters.FAIR);
    }

    /** By whoever holds the lock: one thread at a time. */
    @Operation(nonParallelGroup = "holder")
    public boolean handOn() {
        now[0] += MICRO;
        return cohort.handOff(0);
    }

    /** The same in one step each. */
    public static class Plain {

        private Waiters waiters = Waiters.NONE;

        public void announceUnfair() {
            waiters = waiters == Waiters.FAIR ? waiters : Waiters.UNFAIR;
        }

        public void announceFair() {
            waiters = Waiters.FAIR;
        }

        public boolean handOn() {
            return waiters != Waiters.FAIR;
        }
    }

    @Test
    void hints_and_handoffs_are_atomic() {
        new ModelCheckingOptions()
                .sequentialSpecification(Plain.class)
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(1)
                .iterations(10)
                .invocationsPerIteration(100)
                .check(CohortLinearizabilityTest.class);
    }
}
