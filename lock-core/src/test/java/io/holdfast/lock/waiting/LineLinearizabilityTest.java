package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Waiters;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Threads enter a line, give up, let each other in, or hand the lock on; interleavings of that are explored, and each explored
 * one has the outcome of some order of whole steps on a plain list. Forbidden: two fronts; a line without a front; a thread
 * that gave up and is let in all the same.
 */
@Tag("full")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
@Param(name = "thread", gen = ThreadIdGen.class)
public class LineLinearizabilityTest {

    private static final int THREADS = 3;
    private static final LockKey KEY = LockKey.of("key");
    private static final Budget SOME_TIME = Budget.of(() -> 0, 1);

    private static final InMemoryLockStore NOT_ASKED = new InMemoryLockStore(() -> 0, () -> Instant.EPOCH);

    private final LocalQueue lines =
            new LocalQueue(new EntryKeeper(NOT_ASKED, "c", () -> 0, false, sequence -> {}), () -> 1, () -> 0);
    private final LocalQueue.@Nullable Place[] turns = new LocalQueue.@Nullable Place[THREADS + 2];

    /** Lines up a thread that is not there yet. Each thread's first step is this one. */
    private boolean entered(int thread) {
        boolean absent = turns[thread] == null;
        if (absent) {
            turns[thread] = lines.enter(KEY, "terms", Parked.currentThread());
        }
        return absent;
    }

    /** What a thread asks when it is woken. */
    @Operation
    public boolean enterOrLook(@Param(name = "thread") int thread) {
        return !entered(thread) && isServed(turns[thread]);
    }

    /** Leaves the line, or lets the next one in if it has got in front meanwhile. */
    @Operation
    public void enterOrGiveUp(@Param(name = "thread") int thread) {
        if (!entered(thread)) {
            LocalQueue.Place turn = turns[thread];
            if (!turn.cancel()) {
                turn.leave();
            }
            turns[thread] = null;
        }
    }

    /** Gives the lock to the next one, or lets it go to the store. */
    @Operation
    public boolean enterOrHandOn(@Param(name = "thread") int thread) {
        if (entered(thread)) {
            return false;
        }
        LocalQueue.Place turn = turns[thread];
        return isThrough(thread, turn.handOff(cohort(), 1) || turn.leave());
    }

    private boolean isThrough(int thread, boolean handedOn) {
        if (turns[thread].isOver()) {
            turns[thread] = null;
        }
        return handedOn;
    }

    /**
     * One can get in front if anybody is there, and once it is, no other can; where nobody is there, there is no line.
     */
    @Validate
    public void validate() {
        int present = 0;
        int fronts = 0;
        for (LocalQueue.Place turn : turns) {
            if (turn != null) {
                present++;
                fronts += isServed(turn) ? 1 : 0;
            }
        }
        if (fronts != Math.min(present, 1) || lines.lines.size() != fronts) {
            throw new AssertionError(fronts + " of " + present + " in front, " + lines.lines.size() + " lines");
        }
    }

    /** Looks as a thread does that was woken, but does not go to sleep again. */
    private static boolean isServed(LocalQueue.Place turn) {
        return turn.look(SOME_TIME) == 0;
    }

    /** A cohort that has a token for one handoff. */
    private static Cohort cohort() {
        long[] now = {0};
        return Cohorts.of(new OwnerId("c", 1), 1, 100, Waiters.NONE, () -> now[0] += 1000);
    }

    /** The same on a plain list, whose first element is in front. */
    public static class PlainList {

        private final List<Integer> threads = new ArrayList<>();

        private boolean entered(int thread) {
            return !threads.contains(thread) && threads.add(thread);
        }

        private boolean isFirst(int thread) {
            return threads.indexOf(thread) == 0;
        }

        public boolean enterOrLook(int thread) {
            return !entered(thread) && isFirst(thread);
        }

        public void enterOrGiveUp(int thread) {
            if (!entered(thread)) {
                threads.remove((Integer) thread);
            }
        }

        public boolean enterOrHandOn(int thread) {
            if (entered(thread) || !isFirst(thread)) {
                return false;
            }
            threads.remove(0);
            return !threads.isEmpty();
        }
    }

    @Test
    void steps_of_two_threads_at_a_line_are_atomic() {
        options(2, 4, 6, 300).check(LineLinearizabilityTest.class);
    }

    @Test
    void steps_of_three_threads_at_a_line_are_atomic() {
        options(3, 3, 6, 500).check(LineLinearizabilityTest.class);
    }

    private static ModelCheckingOptions options(int threads, int actors, int iterations, int invocations) {
        return new ModelCheckingOptions()
                .sequentialSpecification(PlainList.class)
                .threads(threads)
                .actorsPerThread(actors)
                .actorsBefore(0)
                .actorsAfter(0)
                .iterations(iterations)
                .invocationsPerIteration(invocations);
    }
}
