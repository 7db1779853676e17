package io.holdfast.lock.engine;

import io.holdfast.lock.api.Blockage;
import io.holdfast.lock.api.Deadlock;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockWaits;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.store.scan.RecordedWait;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for whom, from one atomic read of the waits that all clients have recorded.
 *
 * <p><b>Every cycle that is found was a deadlock.</b> Each record states that a wait was certainly in progress, with all the
 * locks it lists as held, during an interval on the clock of one server, see {@link RecordedWait}. A waiting caller acquires
 * nothing, so throughout the interval it holds what it held at the end of the interval. A cycle counts only if one moment lies
 * in the intervals of all its waits. At that moment each of the callers was waiting for a lock that the next one held in a
 * conflicting mode: an exclusive lock has one holder at a time, and a caller that wants a lock exclusively has to wait for
 * each of its shared holders. So none of them could continue unless another one gave up or lost its lock (because its lease
 * expired, by force, or because another thread closed the handle). Thread names, client clocks and message delays play no
 * part.
 *
 * <p><b>The deadlock may be over.</b> That moment is usually 0.5 s before the read, and never earlier than the retention of records allows.
 * If one of the waits has ended in the meantime, its record is removed within half a second, or marked: {@link #waits} skips cycles with a
 * marked wait; {@link #blockage} includes them, because they were the reason why a caller did not get its lock.
 *
 * <p><b>What is missed.</b> Deadlocks that have lasted for less than about a second, because each wait has to be recorded
 * twice after the last one began. Callers that wait for a permit of a semaphore, which any of its holders may release. Callers
 * that wait behind others in a queue rather than for a holder. Holders that wait for something other than a lock. Waits and
 * holds beyond the limits of a report, see {@link io.holdfast.lock.engine.acquire.Waits}. Deadlocks that are not found within
 * {@value #STEPS_PER_EDGE} steps per edge.
 *
 * <p><b>Cost.</b> Linear in the number of waits and holds. A wait leads to its key, and the key to its holders, so many waits
 * for many holders of one key need only a few edges. First, regardless of time, nodes that block nobody and nodes that nobody
 * blocks are removed repeatedly; nothing is left of a graph without cycles. The rest is searched breadth first at one moment
 * after another, the latest first, until the steps are used up.
 */
final class WaitGraph {

    /** The maximum number of waits examined, so that a cycle is found within a few milliseconds. */
    private static final int MAX_WAITS = 500;

    private static final int STEPS_PER_EDGE = 50;

    private final List<Vertex> waits = new ArrayList<>();
    private final Map<Want, Vertex> wanted = new HashMap<>();
    private long edges;

    /** How many nodes and edges have been visited. */
    long steps;

    /**
     * A key, and the mode in which it is wanted: exclusive access is blocked by every holder, shared access by an
     * exclusive holder.
     */
    private record Want(LockKey key, LockMode mode) {}

    /** A wait, or a key that is wanted in one mode. */
    private static final class Vertex {

        private final @Nullable RecordedWait wait;
        private final Set<Vertex> blockers = new LinkedHashSet<>();
        private final Set<Vertex> blocked = new LinkedHashSet<>();

        Vertex(@Nullable RecordedWait wait) {
            this.wait = wait;
        }

        RecordedWait recorded() {
            return Objects.requireNonNull(wait);
        }

        NestedWait what() {
            return recorded().report().what();
        }

        boolean isAt(long micros) {
            return wait == null || wait.isAt(micros);
        }
    }

    WaitGraph(List<RecordedWait> recorded) {
        recorded.stream().limit(MAX_WAITS).map(Vertex::new).forEach(this::add);
        removeNodesOutsideCycles();
    }

    private void add(Vertex wait) {
        waits.add(wait);
        link(wait, wanted(wait.what().key(), wait.what().mode()));
        for (NestedWait.HeldLock held : wait.what().holds()) {
            link(wanted(held.key(), LockMode.EXCLUSIVE), wait);
            if (held.mode() == LockMode.EXCLUSIVE) {
                link(wanted(held.key(), LockMode.SHARED), wait);
            }
        }
    }

    private Vertex wanted(LockKey key, LockMode mode) {
        return wanted.computeIfAbsent(new Want(key, mode), want -> new Vertex(null));
    }

    private void link(Vertex blocked, Vertex blocker) {
        edges++;
        blocked.blockers.add(blocker);
        blocker.blocked.add(blocked);
    }

    /** A node that is removed is left without edges. */
    private void removeNodesOutsideCycles() {
        Deque<Vertex> next = new ArrayDeque<>(waits);
        next.addAll(wanted.values());
        while (!next.isEmpty()) {
            Vertex node = next.remove();
            steps++;
            if (node.blockers.isEmpty() || node.blocked.isEmpty()) {
                node.blockers.forEach(blocker -> blocker.blocked.remove(node));
                node.blocked.forEach(blocked -> blocked.blockers.remove(node));
                next.addAll(node.blockers);
                next.addAll(node.blocked);
                steps += node.blockers.size() + node.blocked.size();
                node.blockers.clear();
                node.blocked.clear();
            }
        }
    }

    /** {@return the current waits, and their cycles} */
    LockWaits waits() {
        Set<Set<RecordedWait>> known = new HashSet<>();
        // A cycle is closed by the wait that began last: when it began, all others were in progress.
        List<Deadlock> deadlocks = waits.stream()
                .map(last -> cycle(last, last.recorded().sinceMicros()))
                .filter(cycle -> !cycle.isEmpty())
                .filter(cycle -> cycle.stream().noneMatch(each -> each.report().ended()))
                .filter(cycle -> known.add(Set.copyOf(cycle)))
                .map(WaitGraph::deadlock)
                .toList();
        List<NestedWait> nestedWaits = waits.stream()
                .filter(each -> !each.recorded().report().ended())
                .map(Vertex::what)
                .toList();
        return new LockWaits(nestedWaits, deadlocks);
    }

    /**
     * Finds out why a caller waited without getting its lock.
     *
     * @param clientId the client of the caller
     * @param waitId the id of its nested wait; 0 if it held no lock
     * @param key the lock that it waited for
     * @param holder the holder of that lock, according to the store
     */
    Blockage blockage(String clientId, long waitId, LockKey key, LockHolder holder) {
        Optional<Vertex> blocker =
                waits.stream().filter(each -> isOf(holder, each, key)).findAny();
        Optional<Deadlock> deadlock = waits.stream()
                .filter(each -> waitId != 0
                        && each.recorded().report().id() == waitId
                        && each.what().clientId().equals(clientId))
                .findAny()
                .flatMap(this::deadlockThrough)
                .or(() -> blocker.flatMap(this::deadlockThrough));
        return new Blockage(blocker.map(Vertex::what), deadlock);
    }

    /**
     * If a lock was handed off within its client, the client reports a different token than the store; but an exclusive lock
     * has only one holder, so its token need not match.
     */
    private static boolean isOf(LockHolder holder, Vertex wait, LockKey key) {
        return !wait.recorded().report().ended()
                && wait.what().clientId().equals(holder.clientId())
                && wait.what().holds().stream()
                        .filter(held -> held.key().equals(key))
                        .anyMatch(held ->
                                held.mode() == LockMode.EXCLUSIVE || held.fencingToken() == holder.fencingToken());
    }

    private Optional<Deadlock> deadlockThrough(Vertex wait) {
        return waits.stream()
                .filter(each -> !each.blockers.isEmpty())
                .map(each -> each.recorded().sinceMicros())
                .distinct()
                .sorted(Comparator.reverseOrder())
                .map(moment -> cycle(wait, moment))
                .filter(cycle -> !cycle.isEmpty())
                .findFirst()
                .map(WaitGraph::deadlock);
    }

    private static Deadlock deadlock(List<RecordedWait> cycle) {
        return new Deadlock(cycle.stream().map(each -> each.report().what()).toList());
    }

    /**
     * The shortest cycle through the given wait that consists of waits in progress at the given moment; empty if there is
     * none.
     */
    private List<RecordedWait> cycle(Vertex start, long micros) {
        if (!start.isAt(micros)) {
            return List.of();
        }
        Map<Vertex, Vertex> cameFrom = new HashMap<>();
        Deque<Vertex> next = new ArrayDeque<>(List.of(start));
        while (!next.isEmpty() && steps <= STEPS_PER_EDGE * edges) {
            Vertex at = next.remove();
            for (Vertex blocker : at.blockers) {
                steps++;
                if (blocker == start) {
                    return path(start, at, cameFrom);
                }
                if (blocker.isAt(micros) && cameFrom.putIfAbsent(blocker, at) == null) {
                    next.add(blocker);
                }
            }
        }
        return List.of();
    }

    private static List<RecordedWait> path(Vertex start, Vertex end, Map<Vertex, Vertex> cameFrom) {
        Deque<RecordedWait> path = new ArrayDeque<>();
        for (Vertex at = end; at != start; at = cameFrom.getOrDefault(at, start)) {
            if (at.wait != null) {
                path.addFirst(at.wait);
            }
        }
        path.addFirst(start.recorded());
        return List.copyOf(path);
    }
}
