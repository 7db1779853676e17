package io.holdfast.lock.history;

import static io.holdfast.lock.history.Attempt.NEVER;

import java.util.ArrayList;
import java.util.List;

/** Collects what is recorded of one handle. */
final class AttemptBuilder {

    private final String process;
    private final Event.Invoked invoked;
    private final List<String> failures = new ArrayList<>();
    private long hold;
    private long returned = NEVER;
    private long token;
    private long heldBy = NEVER;
    private long heldStill = NEVER;
    private long notHeldBy = NEVER;
    private boolean heldAgain;
    private boolean lost;
    private long ended = NEVER;

    AttemptBuilder(String process, Event.Invoked invoked) {
        this.process = process;
        this.invoked = invoked;
        this.hold = invoked.handle();
    }

    /** Events of one handle are in the order of their lines, but a loss may be told by another thread. */
    void add(Event event) {
        if (event instanceof Event.Granted granted) {
            hold = granted.hold();
            token = granted.token();
            returned = granted.at();
            ended = granted.at();
        } else if (event instanceof Event.Failed failed) {
            failures.add(failed.failure());
            ended = ended == NEVER ? failed.at() : ended;
        } else if (event instanceof Event.Sampled sampled) {
            add(sampled);
        } else if (event instanceof Event.Lost) {
            lost = true;
        }
    }

    private void add(Event.Sampled sampled) {
        if (!sampled.held()) {
            notHeldBy = notHeldBy == NEVER ? sampled.to() : Math.min(notHeldBy, sampled.to());
            return;
        }
        heldAgain |= notHeldBy != NEVER && notHeldBy <= sampled.from();
        heldBy = heldBy == NEVER ? sampled.to() : Math.min(heldBy, sampled.to());
        heldStill = Math.max(heldStill, sampled.from());
    }

    /** @param last the last time that the process is known to have lived */
    Attempt build(long last) {
        return new Attempt(
                process,
                invoked.handle(),
                hold,
                invoked.key(),
                invoked.limit(),
                invoked.at(),
                returned,
                token,
                heldBy,
                heldStill,
                heldAgain,
                lost,
                ended == NEVER ? last : ended,
                failures);
    }
}
