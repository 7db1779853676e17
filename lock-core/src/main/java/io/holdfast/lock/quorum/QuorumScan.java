package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.overview.StoreScan;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Scans the locks of all servers in parallel. A lock is held if a majority has the same holder. Servers are read at different
 * moments, so a lock that is acquired or released meanwhile may be missed.
 */
final class QuorumScan implements StoreScan {

    private final Quorum quorum;
    private final String keyPrefix;

    /** Of the servers that have not failed. */
    private final Map<Node, StoreScan> scans = new ConcurrentHashMap<>();

    /** The servers whose scans go on. */
    private final Set<Node> open;

    QuorumScan(Quorum quorum, String keyPrefix) {
        this.quorum = quorum;
        this.keyPrefix = keyPrefix;
        this.open = new HashSet<>(quorum.nodes());
    }

    @Override
    public boolean step() {
        Ballot<Boolean> ballot = quorum.askAll(node -> open.contains(node)
                ? node.send(store -> scan(node, store).step())
                : CompletableFuture.failedFuture(new LockStoreException("not called", null, false)));
        for (Node node : List.copyOf(open)) {
            Boolean more = ballot.answer(node);
            if (more == null) {
                scans.remove(node);
            }
            if (!Boolean.TRUE.equals(more)) {
                open.remove(node);
            }
        }
        if (scans.size() < quorum.majority()) {
            throw ballot.majorityLost(quorum.majority());
        }
        return !open.isEmpty();
    }

    private StoreScan scan(Node node, LockStore store) {
        return scans.computeIfAbsent(
                node,
                unused -> store.openScan(keyPrefix)
                        .orElseThrow(() ->
                                new UnsupportedOperationException("A server of the quorum cannot list its locks")));
    }

    @Override
    public int size() {
        return scans.values().stream().mapToInt(StoreScan::size).max().orElse(0);
    }

    @Override
    public boolean isComplete() {
        return scans.size() == quorum.size() && scans.values().stream().allMatch(StoreScan::isComplete);
    }

    @Override
    public List<LockStatus> found() {
        return quorum.nodes().stream()
                .flatMap(node -> Stream.ofNullable(scans.get(node)))
                .flatMap(scan -> scan.found().stream())
                .collect(Collectors.groupingBy(LockStatus::key, LinkedHashMap::new, Collectors.toList()))
                .values()
                .stream()
                .filter(same -> same.size() >= quorum.majority())
                .map(same -> Merged.status(same, quorum.majority()))
                .filter(status -> !status.holders().isEmpty())
                .toList();
    }
}
