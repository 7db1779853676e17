package io.holdfast.lock.store;

import java.util.List;

/** The answer to one try to get several locks, all or none. */
public sealed interface AcquireAllReply {

    /**
     * The caller holds them all.
     *
     * @param grants one for each request, in their order
     */
    record Granted(List<AcquireReply.Granted> grants) implements AcquireAllReply {

        /** Creates an instance. */
        public Granted {
            grants = List.copyOf(grants);
        }
    }

    /**
     * The caller holds none of them.
     *
     * @param index which request was refused first, from 0 on
     * @param reply how: held, or cancelled
     */
    record Refused(int index, AcquireReply reply) implements AcquireAllReply {}

    /**
     * The caller holds none of them. The store cannot grant them in one step, or one of the locks is broken: whoever asks for each by
     * itself learns more.
     */
    record OneByOne() implements AcquireAllReply {}
}
