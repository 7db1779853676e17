package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.scan.StoreScan;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Scans the locks of all servers in parallel. A lock is held if a majority has the same holder. Servers are read at different moments, so a
 * lock that is acquired or released in the meantime may be missed.
 */
final class QuorumScan implements StoreScan {

    private final Quorum quorum;

    /** The scans of servers that have not failed. */
    private final Map<Node, StoreScan> scans = new LinkedHashMap<>();

    /** The servers whose scans are in progress. */
    private final Map<Node, StoreScan> open;

    QuorumScan(Quorum quorum, String keysStartingWith) {
        this.quorum = quorum;
        for (Node node : quorum.nodes) {
            Optional<StoreScan> scan = node.store.openScan(keysStartingWith);
            scans.put(
                    node,
                    scan.orElseThrow(
                            () -> new UnsupportedOperationException("A server of the quorum cannot list its locks")));
        }
        this.open = new LinkedHashMap<>(scans);
    }

    @Override
    public boolean step() {
        Ballot<Boolean> ballot = quorum.askAll(node -> {
            StoreScan scan = open.get(node);
            return scan == null
                    ? CompletableFuture.failedFuture(new LockStoreException("not called", null, false))
                    : node.send(store -> scan.step());
        });
        scans.keySet().removeIf(node -> open.containsKey(node) && ballot.answer(node) == null);
        open.keySet().removeIf(node -> !Boolean.TRUE.equals(ballot.answer(node)));
        if (scans.size() < quorum.majority()) {
            throw ballot.majorityLost(quorum.majority());
        }
        return !open.isEmpty();
    }

    @Override
    public int size() {
        return scans.values().stream().mapToInt(StoreScan::size).max().orElse(0);
    }

    @Override
    public boolean isComplete() {
        return scans.size() == quorum.nodes.size() && scans.values().stream().allMatch(StoreScan::isComplete);
    }

    @Override
    public Set<LockKey> unreadable() {
        Set<LockKey> all = new HashSet<>();
        scans.values().forEach(scan -> all.addAll(scan.unreadable()));
        return all;
    }

    @Override
    public List<LockStatus> found() {
        return scans.values().stream()
                .flatMap(scan -> scan.found().stream())
                .collect(Collectors.groupingBy(LockStatus::key, LinkedHashMap::new, Collectors.toList()))
                .values()
                .stream()
                .filter(same -> same.size() >= quorum.majority())
                .map(same -> Merged.status(same, quorum.majority(), 0))
                .filter(status -> !status.holders().isEmpty())
                .toList();
    }
}
