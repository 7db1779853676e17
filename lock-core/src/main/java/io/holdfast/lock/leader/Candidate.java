package io.holdfast.lock.leader;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One role of an election: its listeners, and its candidacy while it is started. */
final class Candidate implements Leadership {

    private final String role;
    private final LockTemplate locks;
    private final LockRequest request;
    private final Background background;
    private final Announcer announcer;
    private volatile @Nullable Candidacy candidacy;

    Candidate(String role, LockTemplate locks, LockRequest request, Background background) {
        this.role = role;
        this.locks = locks;
        this.request = held(role, request);
        this.background = background;
        this.announcer = new Announcer(background);
    }

    /** The lock of a term lasts until it is ended explicitly. */
    private static LockRequest held(String role, LockRequest request) {
        if (request.keys().size() > 1 || request.mode() != LockMode.EXCLUSIVE) {
            throw new IllegalArgumentException("The lock of role '" + role + "' must be exclusive and have a single"
                    + " key, because only one instance leads; the request is " + request);
        }
        return request.waitWithoutLimit()
                .renew(true)
                .minHold(Duration.ZERO)
                .maxHold(LockRequest.MAX_TIME)
                .warnAfter(LockRequest.MAX_TIME)
                .interruptOnLoss(false);
    }

    synchronized void start() {
        if (candidacy == null) {
            Candidacy begun = new Candidacy(
                    role,
                    locks,
                    request,
                    announcer,
                    background,
                    new Backoff(() -> ThreadLocalRandom.current().nextDouble()));
            candidacy = begun;
            begun.attempt();
        }
    }

    synchronized CompletableFuture<@Nullable Void> stop() {
        Candidacy begun = candidacy;
        candidacy = null;
        return begun == null ? CompletableFuture.completedFuture(null) : begun.stop();
    }

    @Override
    public String role() {
        return role;
    }

    @Override
    public boolean isLeader() {
        return term().isPresent();
    }

    @Override
    public Optional<Term> term() {
        Candidacy begun = candidacy;
        return begun == null ? Optional.empty() : begun.term();
    }

    @Override
    public void onElected(Consumer<Term> action) {
        announcer.onElected(action);
    }

    @Override
    public void onRevoked(Consumer<Term> action) {
        announcer.onRevoked(action);
    }

    @Override
    public boolean resign() {
        Candidacy begun = candidacy;
        return begun != null && begun.resign();
    }

    @Override
    public Optional<LockHolder> leader() {
        return locks.inspect(request.key().value()).holder();
    }

    /** For display only. */
    @Override
    public String toString() {
        return "Leadership[role=" + role + ", "
                + term().map(term -> "leader with token " + term.fencingToken()).orElse("not leader") + "]";
    }
}
