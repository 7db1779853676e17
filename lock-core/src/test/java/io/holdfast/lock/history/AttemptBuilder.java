package io.holdfast.lock.history;

import static io.holdfast.lock.history.Attempt.NEVER;

import java.util.ArrayList;
import java.util.List;

/** Collects what is recorded of one handle. */
final class AttemptBuilder {

    private final String process;
    private final String key;
    private final int limit;
    private final long handle;
    private final long invoked;
    private List<String> failures = List.of();
    private long hold;
    private long returned = NEVER;
    private long token;
    private long heldBy = NEVER;
    private long heldStill = NEVER;
    private long notHeldBy = NEVER;
    private boolean heldAgain;
    private boolean lost;
    private long ended = NEVER;

    /** @param key one object for all attempts at it, since there are many */
    AttemptBuilder(String process, String key, Event.Invoked invoked) {
        this.process = process;
        this.key = key;
        this.limit = invoked.limit();
        this.handle = invoked.handle();
        this.invoked = invoked.at();
        this.hold = handle;
    }

    /** Events of one handle are in the order of their lines, but a loss may be told by another thread. */
    void add(Event event) {
        if (event instanceof Event.Granted granted) {
            hold = granted.hold();
            token = granted.token();
            returned = granted.at();
            ended = granted.at();
        } else if (event instanceof Event.Failed failed) {
            failures = new ArrayList<>(failures);
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
                handle,
                hold,
                key,
                limit,
                invoked,
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
