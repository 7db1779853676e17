package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.overview.StoreScan;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Scans the locks of all servers in parallel. A lock is held if a majority has the same holder. Servers are read at different
 * moments, so a lock that is acquired or released meanwhile may be missed.
 */
final class QuorumScan implements StoreScan {

    private final Quorum quorum;
    private final String keyPrefix;

    /** The scan of each server; null if it has failed, was over before it began, or is not supported. */
    private final List<@Nullable StoreScan> walks;

    private final List<StoreScan> ended = new ArrayList<>();
    private boolean begun;

    QuorumScan(Quorum quorum, String keyPrefix) {
        this.quorum = quorum;
        this.keyPrefix = keyPrefix;
        this.walks = new ArrayList<>(Collections.nCopies(quorum.size(), null));
    }

    @Override
    public boolean step() {
        Ballot<Boolean> ballot = quorum.askEach(at -> begun && walks.get(at) == null ? null : store -> step(at, store));
        begun = true;
        boolean more = false;
        for (int at = 0; at < quorum.size(); at++) {
            boolean goesOn = Boolean.TRUE.equals(ballot.answer(at));
            StoreScan walk = walks.get(at);
            if (!goesOn) {
                if (walk != null && Boolean.FALSE.equals(ballot.answer(at))) {
                    ended.add(walk);
                }
                walks.set(at, null);
            }
            more |= goesOn;
        }
        long alive = ended.size() + walks.stream().flatMap(Stream::ofNullable).count();
        if (alive < quorum.majority()) {
            throw ballot.majorityLost(quorum.majority());
        }
        return more;
    }

    private boolean step(int at, LockStore store) {
        StoreScan walk = walks.get(at);
        if (walk == null) {
            walk = store.openScan(keyPrefix)
                    .orElseThrow(
                            () -> new UnsupportedOperationException("A server of the quorum cannot list its locks"));
            walks.set(at, walk);
        }
        return walk.step();
    }

    @Override
    public int size() {
        return walks().stream().mapToInt(StoreScan::size).max().orElse(0);
    }

    @Override
    public boolean isComplete() {
        List<StoreScan> all = walks();
        return all.size() == quorum.size() && all.stream().allMatch(StoreScan::isComplete);
    }

    @Override
    public List<LockStatus> found() {
        Map<LockKey, List<LockStatus>> byKey = walks().stream()
                .flatMap(walk -> walk.found().stream())
                .collect(Collectors.groupingBy(LockStatus::key, LinkedHashMap::new, Collectors.toList()));
        return byKey.values().stream()
                .filter(same -> same.size() >= quorum.majority())
                .map(same -> Merged.status(same, quorum.majority()))
                .filter(status -> !status.holders().isEmpty())
                .toList();
    }

    private List<StoreScan> walks() {
        return Stream.concat(ended.stream(), walks.stream().flatMap(Stream::ofNullable))
                .toList();
    }
}
