package io.holdfast.lock.store;

import java.util.List;

/** The reply to an attempt to acquire several locks, all or none. */
public sealed interface AcquireAllReply {

    /**
     * The caller holds all locks.
     *
     * @param grants one for each request, in the same order
     */
    record Granted(List<AcquireReply.Granted> grants) implements AcquireAllReply {}

    /**
     * The caller holds none of the locks.
     *
     * @param index the first request that was refused, counted from 0
     * @param reply why it was refused: held, or cancelled
     */
    record Refused(int index, AcquireReply reply) implements AcquireAllReply {}

    /**
     * The caller has to request each lock separately: the store cannot grant them in one step, one of them is broken, or, where several
     * servers share the locks, one of them was refused.
     *
     * @param outcomeUnknown false if the caller holds none of the locks. If true, it may hold some, or a call may still arrive, so it has to
     *     undo the acquisitions of all
     */
    record OneByOne(boolean outcomeUnknown) implements AcquireAllReply {}
}
