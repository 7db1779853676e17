package io.holdfast.lock.quorum;

import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.overview.RecordedWait;
import io.holdfast.lock.store.overview.WaitReport;
import java.util.Comparator;
import java.util.List;

/** Nested waits, which every server records by itself. */
final class QuorumWaits {

    private QuorumWaits() {}

    /** Waits for all servers, because each of them dates the waits by the time of its reply. */
    static void record(Quorum quorum, String clientId, List<WaitReport> waits) {
        Ballot<Boolean> ballot = quorum.ask(
                store -> {
                    store.recordWaits(clientId, waits);
                    return true;
                },
                all -> false);
        if (ballot.answers().findAny().isEmpty()) {
            throw ballot.majorityLost(quorum.majority());
        }
    }

    /** The waits of a single server, the one that knows most of them: times of different servers cannot be compared. */
    static List<RecordedWait> recorded(Quorum quorum) {
        Ballot<List<RecordedWait>> ballot =
                quorum.ask(LockStore::recordedWaits, all -> all.answers().count() >= quorum.majority());
        return ballot.answers()
                .max(Comparator.comparing(List::size))
                .orElseThrow(() -> ballot.majorityLost(quorum.majority()));
    }
}
