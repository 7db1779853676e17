package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.store.HolderInfo;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Merges the replies of several servers about one lock. */
final class Merged {

    private Merged() {}

    /**
     * The status of a lock. It has no queue, because none of the servers has.
     *
     * @param statuses those of the servers that replied, at least as many as are needed
     * @param silent how many servers did not reply
     */
    static LockStatus status(List<LockStatus> statuses, int needed, int silent) {
        List<LockHolder> holders = holders(statuses.stream().map(LockStatus::holders), needed);
        // A token that fewer servers have recorded does not count; a server without a reply may have recorded any.
        long lastFencingToken = reached(
                statuses.stream().map(LockStatus::lastFencingToken), Comparator.naturalOrder(), needed - silent);
        LockStatus most = Collections.max(statuses, Comparator.comparing(LockStatus::waiters));
        return new LockStatus(most.key(), holders, List.of(), most.waiters(), lastFencingToken, most.longestWait());
    }

    /** The highest value that the required number of them reach. */
    private static <T> T reached(Stream<T> values, Comparator<T> order, int needed) {
        return values.sorted(order.reversed()).toList().get(Math.max(0, needed - 1));
    }

    /** The holder that most servers name; of several that are named equally often, the first. */
    static Optional<LockHolder> mostNamed(Stream<LockHolder> named) {
        return byGrant(named).stream().max(Comparator.comparing(List::size)).map(most -> most.get(0));
    }

    /** The holders, grouped by grant, whichever servers report them. */
    private static Collection<List<LockHolder>> byGrant(Stream<LockHolder> named) {
        return named.collect(Collectors.groupingBy(
                        holder -> List.of(holder.clientId(), holder.thread(), holder.fencingToken(), holder.mode()),
                        LinkedHashMap::new,
                        Collectors.toList()))
                .values();
    }

    /** The holders that enough servers report, each with the remaining lease that enough of them keep. */
    static List<LockHolder> holders(Stream<List<LockHolder>> lists, int needed) {
        return byGrant(lists.flatMap(List::stream)).stream()
                .filter(same -> same.size() >= needed)
                .map(same -> reached(same.stream(), Comparator.comparing(LockHolder::remaining), needed))
                .map(Merged::withoutDrift)
                .toList();
    }

    /** A holder as reported by a server, with the remaining time as its own client counts it, see {@link Quorum#withDrift}. */
    static LockHolder withoutDrift(LockHolder holder) {
        Duration remaining = holder.remaining()
                .minusMillis(Quorum.DRIFT_MILLIS)
                .multipliedBy(Quorum.DRIFT_SHARE)
                .dividedBy(Quorum.DRIFT_SHARE + 1L);
        Duration left = remaining.isNegative() ? Duration.ZERO : remaining;
        String trace = holder.traceparent().orElse(null);
        HolderInfo where = new HolderInfo(holder.host(), holder.pid(), holder.thread(), trace);
        return where.holding(
                holder.clientId(), holder.since(), left, holder.fencingToken(), holder.mode(), holder.keptByMinHold());
    }
}
