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
     * @param reply why it was refused: held, or cancelled. If it was {@linkplain AcquireReply#resent resent}, the caller has to undo the
     *     acquisitions of all: a call for any of them may still arrive, or it may hold some that could not be given back
     */
    record Refused(int index, AcquireReply reply) implements AcquireAllReply {}

    /**
     * The caller has to request each lock separately: the store cannot grant them together, or one of them is broken.
     *
     * @param outcomeUnknown false if the caller holds none of the locks. If true, it may hold some, or a call may still arrive, so it has to
     *     undo the acquisitions of all
     */
    record OneByOne(boolean outcomeUnknown) implements AcquireAllReply {}
}
