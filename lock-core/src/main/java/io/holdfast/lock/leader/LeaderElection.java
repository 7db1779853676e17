package io.holdfast.lock.leader;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One instance of an application, as a candidate for the leadership in any number of roles. Thread-safe.
 *
 * <pre>{@code
 * LeaderElection election = LeaderElection.on(lockTemplate);
 * Leadership reports = election.join("reports");
 * reports.onElected(term -> schedule.resume());
 * reports.onRevoked(term -> schedule.pause());
 * election.start();
 * }</pre>
 *
 * <p>Each role is an ordinary lock, by default with the key {@code leader:<role>}: the leader holds it and renews its lease, and
 * candidates wait for it, without a thread each and without limit. After a failure of the store they try again for as long
 * as the election is running, at intervals that grow from 50 ms to 5 s.
 *
 * <p>Stop it before closing the lock client, so that the next candidate is notified immediately. The leader of an instance that
 * died is replaced when the lease has expired.
 */
public final class LeaderElection implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Leadership.class);

    private static final String KEY_PREFIX = "leader:";
    private static final String NAME_PREFIX = "leader-";
    private static final int CLOSE_SECONDS = 12;

    private final LockTemplate locks;
    private final Background background;
    private final Map<String, Candidate> candidates = new ConcurrentSkipListMap<>();
    private final List<Consumer<Leadership>> whenJoined = new CopyOnWriteArrayList<>();
    private boolean started;
    private boolean closed;

    LeaderElection(LockTemplate locks, Background background) {
        this.locks = locks;
        this.background = background;
    }

    /**
     * {@return a new election that has no roles yet and is not started}
     *
     * @param locks acquires the locks; belongs to the caller, who closes it after the election
     */
    public static LeaderElection on(LockTemplate locks) {
        return new LeaderElection(locks, new LeaderThreads());
    }

    /**
     * Makes this instance a candidate, with the lock {@code leader:<role>} and the lease of the client's defaults, see
     * {@link #join(String, LockRequest)}.
     *
     * @param role what to lead
     * @return the role
     */
    public Leadership join(String role) {
        return join(role, LockRequest.of(KEY_PREFIX + role));
    }

    /**
     * Makes this instance a candidate: at once, or when the election is started.
     *
     * @param role what to lead: the same name in all instances
     * @param request the lock, exclusive and with one key, the same in all instances, and its lease, which is the time after which
     *     an instance that died is replaced. Its name is {@code leader-<role>} unless it has one. It is always renewed, is waited
     *     for without limit, and has no maximum or minimum hold
     * @return the role
     * @throws IllegalArgumentException if the role is blank, or the request has several keys or is shared
     * @throws IllegalStateException if this election has joined the role before, or is closed
     */
    public Leadership join(String role, LockRequest request) {
        if (role.isBlank()) {
            throw new IllegalArgumentException("The role of a leader is blank; give it a name");
        }
        LockRequest named = request.name().isEmpty() ? request.name(NAME_PREFIX + role) : request;
        Candidate candidate = new Candidate(role, locks, named, background);
        add(candidate);
        whenJoined.forEach(each -> each.accept(candidate));
        startLate(candidate);
        return candidate;
    }

    private synchronized void add(Candidate candidate) {
        requireOpen();
        if (candidates.putIfAbsent(candidate.role(), candidate) != null) {
            throw new IllegalStateException("This instance is a candidate for role '" + candidate.role() + "' already");
        }
    }

    private synchronized void startLate(Candidate candidate) {
        if (started) {
            candidate.start();
        }
    }

    /**
     * Has the action called for each role that is joined from now on: on the thread that joins it, and before this instance becomes a
     * candidate because of that.
     *
     * @param action receives the role, and may add listeners to it; its exceptions end the call that joins
     */
    public void onJoined(Consumer<Leadership> action) {
        whenJoined.add(action);
    }

    /**
     * {@return what this instance knows of a role}
     *
     * @param role one that was joined
     * @throws IllegalArgumentException if it was not
     */
    public Leadership of(String role) {
        Candidate candidate = candidates.get(role);
        if (candidate == null) {
            throw new IllegalArgumentException(
                    "This instance is not a candidate for role '" + role + "'; its roles are " + candidates.keySet());
        }
        return candidate;
    }

    /** {@return all roles that were joined, by their names} */
    public List<Leadership> roles() {
        return List.copyOf(candidates.values());
    }

    /**
     * Makes this instance a candidate for all its roles. Does nothing if it is started.
     *
     * @throws IllegalStateException if it is closed
     */
    public synchronized void start() {
        requireOpen();
        started = true;
        candidates.values().forEach(Candidate::start);
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("The leader election is closed");
        }
    }

    /**
     * Gives up all terms, and ends all candidacies. It may be started again.
     *
     * @return completes when the locks of all terms were released, and so the next candidates may lead: once the listeners of
     *     {@link Leadership#onRevoked} have returned, or after 10 s
     */
    public synchronized CompletableFuture<@Nullable Void> stop() {
        started = false;
        return CompletableFuture.allOf(
                candidates.values().stream().map(Candidate::stop).toArray(CompletableFuture[]::new));
    }

    /** Stops, waits for that, and ends the threads of this election. If this thread is interrupted, it does not wait. */
    @Override
    public void close() {
        CompletableFuture<@Nullable Void> stopping;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            stopping = stop();
        }
        try {
            stopping.get(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException e) {
            log.warn("Leadership was not released in time; the locks expire with their leases", e);
        }
        background.close();
    }
}
