package io.holdfast.lock.leader;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import java.time.Duration;
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
 * One instance of an application, as a candidate for any number of leader roles. Thread-safe.
 *
 * <pre>{@code
 * LeaderElection election = LeaderElection.on(lockTemplate);
 * Leadership reports = election.join("reports");
 * reports.onElected(term -> schedule.resume());
 * reports.onRevoked(term -> schedule.pause());
 * election.start();
 * }</pre>
 *
 * <p>Each role is an ordinary lock, by default with the key {@code leader:<role>}: the leader holds it and renews its lease,
 * and candidates wait for it without a time limit, and without occupying a thread. After a failure of the store they try
 * again as long as the election is running, at intervals that grow from 50 ms to 5 s.
 *
 * <p>Stop the election before closing the lock client, so that the next candidate is notified immediately. A leader whose
 * instance has died is replaced when its lease has expired.
 */
public final class LeaderElection implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Leadership.class);

    private static final int CLOSE_SECONDS = 12;

    /**
     * How long closing waits for threads, because web servers warn about threads that outlive their application; a
     * listener may take longer.
     */
    private static final Duration SHUTDOWN_TIMEOUT = Duration.ofMillis(500);

    private final LockTemplate locks;
    private final LeaderThreads threads;
    private final Map<String, Candidate> candidates = new ConcurrentSkipListMap<>();
    private final List<Consumer<Leadership>> whenJoined = new CopyOnWriteArrayList<>();
    private boolean started;
    private boolean closed;

    LeaderElection(LockTemplate locks, LeaderThreads threads) {
        this.locks = locks;
        this.threads = threads;
    }

    /**
     * {@return a new election, which has no roles yet and has not been started}
     *
     * @param locks acquires the locks; the caller owns it, and closes it after the election
     */
    public static LeaderElection on(LockTemplate locks) {
        return new LeaderElection(locks, new LeaderThreads());
    }

    /**
     * Makes this instance a candidate, with the lock {@code leader:<role>} and the client's default lease, see
     * {@link #join(String, LockRequest)}.
     *
     * @param role the name of the role
     * @return the role
     */
    public Leadership join(String role) {
        return join(role, LockRequest.of("leader:" + role));
    }

    /**
     * Makes this instance a candidate: immediately if the election is running, otherwise when it is started.
     *
     * @param role the name of the role, the same in all instances
     * @param request the lock, which must be exclusive, have a single key, and be the same in all instances; its lease is the
     *     time after which a leader that has died is replaced. The request is named {@code leader-<role>} unless it has a
     *     name. The lease is always renewed, candidates wait for the lock without a time limit, and there is no maximum or
     *     minimum hold
     * @return the role
     * @throws IllegalArgumentException if the role is blank or contains control or formatting characters, or the request has several keys or is shared
     * @throws IllegalStateException if this election has already joined the role, or is closed
     */
    public Leadership join(String role, LockRequest request) {
        String shown = LockKey.printable(role);
        if (role.isBlank() || !shown.equals(role)) {
            throw new IllegalArgumentException(
                    "The role must not be blank or contain control or formatting characters: '" + shown + "'");
        }
        LockRequest named = request.name().isEmpty() ? request.name("leader-" + role) : request;
        Candidate candidate = new Candidate(role, locks, named, threads);
        synchronized (this) {
            requireOpen();
            if (candidates.putIfAbsent(role, candidate) != null) {
                throw new IllegalStateException("This instance is already a candidate for role '" + role + "'");
            }
        }
        boolean joined = false;
        try {
            whenJoined.forEach(each -> each.accept(candidate));
            joined = true;
        } finally {
            synchronized (this) {
                if (!joined) {
                    candidates.remove(role);
                    var unused = candidate.stop(); // a start in the meantime may have made it a candidate
                } else if (started) {
                    candidate.start();
                }
            }
        }
        return candidate;
    }

    /**
     * Registers an action that is called for each role joined from now on: on the thread that joins the role, before this
     * instance becomes a candidate for it.
     *
     * @param action receives the role, and may add listeners to it; if it throws an exception, the call that joins the role
     *     fails, and the role is not joined
     */
    public void onJoined(Consumer<Leadership> action) {
        whenJoined.add(action);
    }

    /**
     * {@return this instance's view of a role}
     *
     * @param role a role that was joined
     * @throws IllegalArgumentException if it was not joined
     */
    public Leadership of(String role) {
        Candidate candidate = candidates.get(role);
        if (candidate == null) {
            throw new IllegalArgumentException("This instance is not a candidate for role '" + LockKey.printable(role)
                    + "'; its roles are " + candidates.keySet());
        }
        return candidate;
    }

    /** {@return all roles that were joined, sorted by name} */
    public List<Leadership> roles() {
        return List.copyOf(candidates.values());
    }

    /**
     * Makes this instance a candidate for all of its roles. Has no effect if it is already started.
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
     * Ends all terms and candidacies. The election may be started again.
     *
     * @return a future that completes when the locks of all terms have been released, so that the next candidates can take
     *     over: once the listeners of {@link Leadership#onRevoked} have returned, or after 10 s
     */
    public synchronized CompletableFuture<@Nullable Void> stop() {
        started = false;
        return CompletableFuture.allOf(
                candidates.values().stream().map(Candidate::stop).toArray(CompletableFuture[]::new));
    }

    /**
     * Stops the election, waits until it has stopped, and ends its threads. Does not wait if the current thread is interrupted,
     * or if a listener calls this; in the latter case, the locks are released when the listener has returned.
     */
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
        boolean byListener = candidates.values().stream().anyMatch(Candidate::isCalledHere);
        if (!byListener) {
            await(stopping);
        }
        threads.close(byListener || Thread.currentThread().isInterrupted() ? Duration.ZERO : SHUTDOWN_TIMEOUT);
    }

    private static void await(CompletableFuture<@Nullable Void> stopping) {
        try {
            stopping.get(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException e) {
            log.warn("Leadership was not released in time; the locks will expire at the end of their leases", e);
        }
    }
}
