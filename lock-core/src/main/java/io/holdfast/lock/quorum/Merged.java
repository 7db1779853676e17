package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockSnapshot;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.store.RenewReply;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Merges the replies of several servers about one lock. */
final class Merged {

    /** The same grant, whichever server reports it. */
    private record Grant(String clientId, String thread, long token, LockMode mode) {
        Grant(LockHolder holder) {
            this(holder.clientId(), holder.thread(), holder.fencingToken(), holder.mode());
        }
    }

    private Merged() {}

    static LockSnapshot snapshot(LockKey key, List<LockSnapshot> snapshots, int needed, int silent) {
        List<LockHolder> holders =
                holders(snapshots.stream().map(LockSnapshot::holders).toList(), needed);
        return new LockSnapshot(key, holders, 0, lastToken(snapshots, needed, silent));
    }

    /**
     * The highest token that the required number of servers may have recorded: a token that fewer have does not count. A server
     * without a reply may have recorded any.
     */
    private static long lastToken(List<LockSnapshot> snapshots, int needed, int silent) {
        long[] tokens =
                snapshots.stream().mapToLong(LockSnapshot::lastToken).sorted().toArray();
        return tokens[tokens.length - Math.max(1, needed - silent)];
    }

    /** @param statuses of one lock, by at least so many servers as are needed */
    static LockStatus status(List<LockStatus> statuses, int needed) {
        List<LockHolder> holders =
                holders(statuses.stream().map(LockStatus::holders).toList(), needed);
        long[] tokens =
                statuses.stream().mapToLong(LockStatus::lastToken).sorted().toArray();
        return new LockStatus(statuses.get(0).key(), holders, List.of(), 0, tokens[tokens.length - needed]);
    }

    /** Of one of several requests. */
    static RenewReply renewed(Ballot<List<RenewReply>> ballot, int at, int needed, int servers) {
        List<RenewReply> replies = ballot.answers().map(each -> each.get(at)).toList();
        long renewed =
                replies.stream().filter(RenewReply.Renewed.class::isInstance).count();
        long refused =
                replies.stream().filter(RenewReply.NotHolder.class::isInstance).count();
        if (renewed >= needed) {
            return new RenewReply.Renewed();
        }
        if (servers - refused < needed) {
            return new RenewReply.NotHolder();
        }
        return new RenewReply.Failed(
                "only " + renewed + " of " + servers + " servers renewed it; " + needed + " are required");
    }

    /** The holder that most servers name; of several that are named equally often, the first. */
    static Optional<LockHolder> mostNamed(List<LockHolder> named) {
        return byGrant(named.stream()).values().stream()
                .reduce((some, others) -> others.size() > some.size() ? others : some)
                .map(most -> most.get(0));
    }

    /** Whether servers name different holders, and none of these more often than any other. */
    static boolean isTied(List<LockHolder> named) {
        List<Integer> sizes = byGrant(named.stream()).values().stream()
                .map(List::size)
                .sorted(Comparator.reverseOrder())
                .toList();
        return sizes.size() > 1 && sizes.get(0).equals(sizes.get(1));
    }

    private static Map<Grant, List<LockHolder>> byGrant(Stream<LockHolder> named) {
        return named.collect(Collectors.groupingBy(Grant::new, LinkedHashMap::new, Collectors.toList()));
    }

    /** Those that so many servers know; each as long as so many of them keep it. */
    static List<LockHolder> holders(List<List<LockHolder>> told, int needed) {
        return byGrant(told.stream().flatMap(List::stream)).values().stream()
                .filter(same -> same.size() >= needed)
                .map(same -> same.stream()
                        .sorted(Comparator.comparing(LockHolder::remaining).reversed())
                        .toList()
                        .get(needed - 1))
                .map(Drift::removed)
                .toList();
    }
}
