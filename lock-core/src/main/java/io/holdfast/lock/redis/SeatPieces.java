package io.holdfast.lock.redis;

import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.SeatReply;
import io.holdfast.lock.store.SeatRequest;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Long rows of seats, cut into pieces that are asked for one by one, and the answers put together again. */
final class SeatPieces {

    private SeatPieces() {}

    static List<SeatRequest> cut(List<SeatRequest> rows, int longest) {
        List<SeatRequest> pieces = new ArrayList<>(rows.size());
        for (SeatRequest row : rows) {
            List<OwnerId> owners = row.owners();
            for (int piece = 0; piece < pieces(row, longest); piece++) {
                int from = piece * longest;
                pieces.add(new SeatRequest(row.key(), owners.subList(from, Math.min(owners.size(), from + longest))));
            }
        }
        return pieces;
    }

    static List<SeatReply> join(List<SeatRequest> rows, List<SeatReply> replies, int longest) {
        List<SeatReply> joined = new ArrayList<>(rows.size());
        Iterator<SeatReply> next = replies.iterator();
        for (SeatRequest row : rows) {
            SeatReply reply = next.next();
            for (int piece = 1; piece < pieces(row, longest); piece++) {
                reply = join(reply, next.next());
            }
            joined.add(reply);
        }
        return joined;
    }

    private static int pieces(SeatRequest row, int longest) {
        return Math.max(1, (row.owners().size() + longest - 1) / longest);
    }

    /** The earliest of the store's times: what was granted later may be news to one of the pieces. */
    private static SeatReply join(SeatReply one, SeatReply other) {
        if (!(one instanceof SeatReply.Kept first)) {
            return one;
        }
        if (!(other instanceof SeatReply.Kept second)) {
            return other;
        }
        List<OwnerId> called = new ArrayList<>(first.called());
        called.addAll(second.called());
        return new SeatReply.Kept(
                called,
                Math.min(first.storeMicros(), second.storeMicros()),
                first.blockedFor().compareTo(second.blockedFor()) < 0 ? first.blockedFor() : second.blockedFor());
    }
}
