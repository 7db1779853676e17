package io.holdfast.lock.engine.deadlock;

import io.holdfast.lock.api.Blockage;
import io.holdfast.lock.api.Deadlock;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockWaits;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.store.overview.RecordedWait;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Who waits for whom, by one atomic read of what all clients have recorded.
 *
 * <p><b>A cycle that is found was a deadlock.</b> Each record says of a wait that it was certainly going on, with all that is said
 * to be held meanwhile, during an interval on the clock of one server, see {@link RecordedWait}. A caller that waits acquires
 * nothing, so it holds during the whole interval what it held at its end. A cycle counts only if there is one moment that
 * lies in the intervals of all its waits. At that moment each of them waited for a lock that the next one held in a mode which
 * excludes it: an exclusive lock has one holder at a time, and whoever wants a lock exclusively has to wait for each of its shared
 * holders. So none of them could go on unless another one gave up, or lost its lock (by its lease, by force, or because another
 * thread closed the handle). Names of threads, clocks of clients, and the time that messages take play no part.
 *
 * <p><b>It may be over.</b> That moment is before the read, by 0.5 s as a rule, and by as much as records are kept at most. If one
 * of the waits has ended meanwhile, its record is gone within half a second, or marked: {@link #waits} passes over cycles with a
 * marked wait; who asks why it did not get a lock is told of them, since they were the reason.
 *
 * <p><b>What is missed.</b> Deadlocks that have lasted for less than about a second: each wait has to be recorded twice after the
 * last one has begun. Callers that wait for a permit of a semaphore, which any of its holders may give back. Callers that
 * wait behind others in a queue, and not for a holder. Locks that are held by nobody who waits for a lock, but for something else.
 * What was cut, see {@link NestedWaits}.
 */
public final class WaitGraph {

    /** So many are looked at, so that a cycle is found in some milliseconds. */
    private static final int MOST_WAITS = 500;

    private final List<RecordedWait> waits;
    private final Map<LockKey, List<RecordedWait>> holders = new HashMap<>();

    public WaitGraph(List<RecordedWait> recorded) {
        this.waits = recorded.stream().limit(MOST_WAITS).toList();
        for (RecordedWait each : waits) {
            for (NestedWait.Held held : what(each).holds()) {
                holders.computeIfAbsent(held.key(), key -> new ArrayList<>()).add(each);
            }
        }
    }

    private static NestedWait what(RecordedWait recorded) {
        return recorded.report().what();
    }

    /** {@return the waits that go on, and their cycles} */
    public LockWaits waits() {
        List<Deadlock> deadlocks = new ArrayList<>();
        Set<Set<RecordedWait>> known = new HashSet<>();
        // The wait that began last closes a cycle: at its beginning all others were going on.
        for (RecordedWait last : waits) {
            List<RecordedWait> cycle = cycle(last, last.sinceMicros());
            boolean goesOn = cycle.stream().noneMatch(each -> each.report().ended());
            if (!cycle.isEmpty() && goesOn && known.add(Set.copyOf(cycle))) {
                deadlocks.add(deadlock(cycle));
            }
        }
        return new LockWaits(
                waits.stream()
                        .filter(each -> !each.report().ended())
                        .map(WaitGraph::what)
                        .toList(),
                deadlocks);
    }

    /**
     * Why somebody has waited in vain.
     *
     * @param clientId whose wait it was
     * @param waitId which of its nested waits; 0 if it held nothing
     * @param key what it waited for
     * @param holder who held that, by the store
     */
    public Blockage blockage(String clientId, long waitId, LockKey key, LockHolder holder) {
        Optional<RecordedWait> holders = waitOf(holder, key);
        Optional<Deadlock> deadlock = waits.stream()
                .filter(each -> waitId != 0
                        && each.report().id() == waitId
                        && what(each).clientId().equals(clientId))
                .findAny()
                .flatMap(this::deadlockThrough)
                .or(() -> holders.flatMap(this::deadlockThrough));
        return new Blockage(holders.map(WaitGraph::what), deadlock);
    }

    /** A lock that was handed off within the client has another token there; of an exclusive one there is only one holder. */
    private Optional<RecordedWait> waitOf(LockHolder holder, LockKey key) {
        return holders.getOrDefault(key, List.of()).stream()
                .filter(each -> !each.report().ended() && what(each).clientId().equals(holder.clientId()))
                .filter(each -> held(each, key)
                        .anyMatch(held ->
                                held.mode() == LockMode.EXCLUSIVE || held.fencingToken() == holder.fencingToken()))
                .findAny();
    }

    private static Stream<NestedWait.Held> held(RecordedWait holder, LockKey key) {
        return what(holder).holds().stream().filter(held -> held.key().equals(key));
    }

    private Optional<Deadlock> deadlockThrough(RecordedWait wait) {
        return waits.stream()
                .map(RecordedWait::sinceMicros)
                .map(moment -> cycle(wait, moment))
                .filter(cycle -> !cycle.isEmpty())
                .findFirst()
                .map(WaitGraph::deadlock);
    }

    private static Deadlock deadlock(List<RecordedWait> cycle) {
        return new Deadlock(cycle.stream().map(WaitGraph::what).toList());
    }

    /** The shortest cycle through a wait of those that were going on at that moment; empty if there is none. */
    private List<RecordedWait> cycle(RecordedWait start, long micros) {
        if (!start.isAt(micros)) {
            return List.of();
        }
        Map<RecordedWait, RecordedWait> cameFrom = new HashMap<>();
        Deque<RecordedWait> next = new ArrayDeque<>(List.of(start));
        while (!next.isEmpty()) {
            RecordedWait at = next.remove();
            for (RecordedWait blocker : blockers(at, micros)) {
                if (blocker.equals(start)) {
                    return path(start, at, cameFrom);
                }
                if (cameFrom.putIfAbsent(blocker, at) == null) {
                    next.add(blocker);
                }
            }
        }
        return List.of();
    }

    private static List<RecordedWait> path(
            RecordedWait start, RecordedWait end, Map<RecordedWait, RecordedWait> cameFrom) {
        Deque<RecordedWait> path = new ArrayDeque<>();
        RecordedWait at = end;
        while (!at.equals(start)) {
            path.addFirst(at);
            at = cameFrom.getOrDefault(at, start);
        }
        path.addFirst(start);
        return List.copyOf(path);
    }

    private List<RecordedWait> blockers(RecordedWait waiting, long micros) {
        NestedWait wait = what(waiting);
        return holders.getOrDefault(wait.key(), List.of()).stream()
                .filter(each -> each.isAt(micros) && held(each, wait.key()).anyMatch(held -> excludes(held, wait)))
                .toList();
    }

    private static boolean excludes(NestedWait.Held held, NestedWait wait) {
        return held.mode() == LockMode.EXCLUSIVE || wait.mode() == LockMode.EXCLUSIVE;
    }
}
