package io.holdfast.lock.redis;

import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.OwnerId;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Splits long lists of entries into pieces that are requested one by one, and merges the replies. */
final class EntryPieces {

    private EntryPieces() {}

    static List<EntryRequest> cut(List<EntryRequest> rows, int longest) {
        List<EntryRequest> pieces = new ArrayList<>(rows.size());
        for (EntryRequest row : rows) {
            List<OwnerId> owners = row.owners();
            for (int piece = 0; piece < pieces(row, longest); piece++) {
                int from = piece * longest;
                pieces.add(new EntryRequest(row.key(), owners.subList(from, Math.min(owners.size(), from + longest))));
            }
        }
        return pieces;
    }

    static List<EntryReply> join(List<EntryRequest> rows, List<EntryReply> replies, int longest) {
        List<EntryReply> joined = new ArrayList<>(rows.size());
        Iterator<EntryReply> next = replies.iterator();
        for (EntryRequest row : rows) {
            EntryReply reply = next.next();
            for (int piece = 1; piece < pieces(row, longest); piece++) {
                reply = join(reply, next.next());
            }
            joined.add(reply);
        }
        return joined;
    }

    private static int pieces(EntryRequest row, int longest) {
        return Math.max(1, (row.owners().size() + longest - 1) / longest);
    }

    /** The earliest of the store's times: one of the pieces may not reflect what was granted later. */
    private static EntryReply join(EntryReply one, EntryReply other) {
        if (!(one instanceof EntryReply.Kept first)) {
            return one;
        }
        if (!(other instanceof EntryReply.Kept second)) {
            return other;
        }
        List<OwnerId> called = new ArrayList<>(first.called());
        called.addAll(second.called());
        return new EntryReply.Kept(
                called,
                Math.min(first.storeMicros(), second.storeMicros()),
                first.blockedFor().compareTo(second.blockedFor()) < 0 ? first.blockedFor() : second.blockedFor());
    }
}
