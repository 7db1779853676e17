package io.holdfast.lock.waiting;

import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.store.Waiters;

/** Grants for tests that hand them off. */
final class Cohorts {

    private Cohorts() {}

    /** A whole lease, with several tokens. */
    static QueueEntry.Grant grant(OwnerId owner, long token, long tokens, Waiters waiters, boolean confirmed) {
        return new QueueEntry.Grant(owner, token, 0, 0, tokens, waiters, confirmed, false);
    }

    /** The token that the next holder takes; 0 if there is none. */
    static long next(Cohort cohort) {
        return cohort.handOff(0) ? cohort.lastFencingToken : 0;
    }

    /** Whoever may hand on a whole lease. */
    static Cohort of(OwnerId owner, long firstToken, long tokens, Waiters waiters, Ticker ticker) {
        return new Cohort(grant(owner, firstToken, tokens, waiters, true), ticker);
    }
}
