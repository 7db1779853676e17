package io.holdfast.lock.faults;

import io.holdfast.lock.history.Event;
import io.holdfast.lock.history.Recorder;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.leader.Term;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One role of a process: asks whether it leads, and records the answer. A term is recorded as a handle, which was asked for when
 * the last term ended. Listeners have to be told of the same terms in the right order; what they are told otherwise is recorded as
 * a failure. Asked by one thread.
 */
final class RecordedRole {

    /** The chance of resigning, each time that it leads. */
    private static final double RESIGNS = 0.05;

    /** Some terms last until something goes wrong. */
    private static final double RESIGNS_LATE = 0.0005;

    private final Leadership leadership;
    private final Recorder recorder;
    private final AtomicLong handles;
    private long standingSince = System.nanoTime();
    private long handle;
    private @Nullable Term current;
    private double chance;
    private long reportedToken;
    private boolean reportedElected;

    RecordedRole(Leadership leadership, Recorder recorder, AtomicLong handles) {
        this.leadership = leadership;
        this.recorder = recorder;
        this.handles = handles;
        leadership.onElected(term -> reported(term, true));
        leadership.onRevoked(term -> reported(term, false));
    }

    /** By one thread at a time, as is promised. */
    private void reported(Term term, boolean elected) {
        boolean expected = elected
                ? !reportedElected && term.fencingToken() > reportedToken
                : reportedElected && term.fencingToken() == reportedToken;
        if (!expected) {
            recorder.add(new Event.Failed(handle, "ListenerOutOfOrder", System.nanoTime()));
        }
        reportedToken = term.fencingToken();
        reportedElected = elected;
    }

    void ask(Random random) {
        long from = System.nanoTime();
        Optional<Term> term = leadership.term();
        long to = System.nanoTime();
        Term former = current;
        if (former != null && term.filter(former::equals).isEmpty()) {
            recorder.add(new Event.Sampled(handle, from, to, false));
            recorder.add(new Event.Lost(handle, to));
            over(from);
        }
        if (term.isPresent()) {
            begin(term.get(), to, random);
            recorder.add(new Event.Sampled(handle, from, to, true));
            if (random.nextDouble() < chance) {
                resign();
            }
        }
    }

    private void begin(Term term, long at, Random random) {
        if (current == null) {
            handle = handles.incrementAndGet();
            current = term;
            chance = random.nextInt(8) == 0 ? RESIGNS_LATE : RESIGNS;
            recorder.add(new Event.Invoked(handle, leadership.role(), 0, standingSince));
            recorder.add(new Event.Granted(handle, handle, term.fencingToken(), at));
        }
    }

    private void resign() {
        long at = System.nanoTime();
        recorder.add(new Event.Closing(handle, at));
        leadership.resign();
        long from = System.nanoTime();
        recorder.add(new Event.Sampled(handle, from, System.nanoTime(), leadership.isLeader()));
        recorder.add(new Event.Closed(handle, System.nanoTime()));
        over(at);
    }

    private void over(long since) {
        current = null;
        standingSince = since;
    }
}
