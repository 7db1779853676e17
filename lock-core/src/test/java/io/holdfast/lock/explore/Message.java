package io.holdfast.lock.explore;

import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import java.util.Locale;

/** What is on its way between a client and the store. */
sealed interface Message {

    /** What a client asks for. */
    enum What {
        ACQUIRE,
        RELEASE,
        LEAVE,
        KEEP,
        RENEW;

        /** Whether the caller waits for it; the others are asked by the client's own threads. */
        boolean isMain() {
            return this == ACQUIRE || this == RELEASE || this == LEAVE;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Where it stands among others: the order of those that may be exchanged does not count. */
    int rank();

    /**
     * What a client asks for.
     *
     * @param body the request as the engine has made it, or {@link Leave}
     */
    record Request(What what, OwnerId owner, Object body) {}

    /**
     * Ends an acquisition.
     *
     * @param cancelledNanos for how long late calls of it are refused
     * @param lastFencingToken which of its tokens was used last
     */
    record Leave(long cancelledNanos, long lastFencingToken) {}

    /**
     * A call that the store has not seen yet.
     *
     * @param awaited whether the client still waits for the answer
     * @param arrivesUntil if not: when it has arrived or never will, in true time
     */
    record Call(int client, Request request, boolean awaited, long arrivesUntil) implements Message {

        What what() {
            return request.what;
        }

        OwnerId owner() {
            return request.owner;
        }

        Call givenUp(long until) {
            return new Call(client, request, false, until);
        }

        @Override
        public int rank() {
            return (awaited ? 0 : 1 << 20)
                    + (client << 16)
                    + (what().ordinal() << 8)
                    + (int) (owner().sequence() & 0xff);
        }
    }

    /** The store's answer to a call whose client waits for it. */
    record Answer(int client, Request request, Object reply) implements Message {

        What what() {
            return request.what;
        }

        @Override
        public int rank() {
            return (2 << 20) + (client << 16) + (what().ordinal() << 8);
        }
    }

    /** The store, or who says to be it, tells a client of a grant. */
    record Granted(OwnerId owner, Reservation reservation) implements Message {
        @Override
        public int rank() {
            return (3 << 20) + ((owner.clientId().hashCode() & 0xff) << 8) + (int) (owner.sequence() & 0xff);
        }
    }
}
