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
 * Who waits for whom, from one atomic read of the waits that all clients have recorded.
 *
 * <p><b>A cycle that is found was a deadlock.</b> Each record states that a wait was certainly going on, with all the locks it
 * lists as held, during an interval on the clock of one server, see {@link RecordedWait}. A waiting caller acquires nothing,
 * so during the whole interval it holds what it held at its end. A cycle counts only if one moment lies in the intervals of
 * all its waits. At that moment each of them waited for a lock that the next one held in a conflicting mode: an exclusive lock
 * has one holder at a time, and a caller that wants a lock exclusively has to wait for each of its shared holders. So none of
 * them could continue unless another one gave up or lost its lock (because its lease expired, by force, or because another
 * thread closed the handle). Names of threads, clocks of clients, and message delays play no part.
 *
 * <p><b>It may be over.</b> That moment is usually 0.5 s before the read, and at most the time for which records are kept. If
 * one of the waits has ended since, its record is removed within half a second, or marked: {@link #waits} skips cycles with a
 * marked wait; {@link #blockage} includes them, because they were the reason why a caller did not get its lock.
 *
 * <p><b>What is missed.</b> Deadlocks that have lasted for less than about a second, because each wait has to be recorded
 * twice after the last one began. Callers that wait for a permit of a semaphore, which any of its holders may release. Callers
 * that wait behind others in a queue rather than for a holder. Holders that wait for something other than a lock. Waits that
 * were truncated, see {@link NestedWaits}.
 */
public final class WaitGraph {

    /** The maximum number of waits examined, so that a cycle is found within a few milliseconds. */
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

    /** {@return the current waits, and their cycles} */
    public LockWaits waits() {
        List<Deadlock> deadlocks = new ArrayList<>();
        Set<Set<RecordedWait>> known = new HashSet<>();
        // A cycle is closed by the wait that began last: at its beginning all others were going on.
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
     * Finds out why a caller waited without getting its lock.
     *
     * @param clientId the client of the caller
     * @param waitId the id of its nested wait; 0 if it held no lock
     * @param key the lock that it waited for
     * @param holder the holder of that lock, according to the store
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

    /**
     * A lock that was handed off within its client has a different token there; an exclusive lock has only one holder.
     */
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

    /**
     * The shortest cycle through the given wait, of waits that were going on at the given moment; empty if there is none.
     */
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
