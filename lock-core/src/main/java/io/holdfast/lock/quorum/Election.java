package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.ReleaseRequest;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * One attempt to acquire a lock from a majority of servers, with a single token.
 *
 * <p>Each server that grants the lock chooses a token that is higher than all it has granted before, and at least the one proposed. The
 * grant counts only after enough servers have granted it <em>with the same token</em>; if they chose different ones, the highest is
 * proposed to all of them in the next round. So a token counts only if a majority has recorded it, each at a time when all tokens it had
 * recorded before were lower.
 *
 * <p>A server may have a clock that is far ahead. Its token is ignored if enough others agree on theirs. That is safe: that server has
 * recorded a higher one, and grants no lower one. See {@link TokenClock}.
 *
 * <p>The last token that a server has recorded never falls below its value before a grant: unused tokens of a block are given back, but the
 * last used one may be lower than those that others obtained there earlier. This happens if this acquisition reaches a server only
 * after others have held the lock there, and its release follows immediately.
 *
 * <p><b>Tokens strictly increase.</b> Let a grant with token <i>t</i> count, and also one with token <i>u</i> that is requested after that,
 * or that holds the lock alone after that. For both, a majority recorded the token while the grant held the lock there, so one server
 * recorded both. If it recorded <i>t</i> first, then <i>u &gt; t</i>, since it records no lower one. It did not record <i>u</i> first: that
 * grant had not been requested yet; or, if one of them is exclusive, the lock was taken from it again before the other one got it there,
 * since its lease was over, and then it no longer counts. (It is not enough for a server to claim that it has recorded a token: {@code
 * QuorumDefectsTest} finds a lower token after a higher one if it has not.) A holder that requests its lock again may get a higher token
 * than before, chosen by a server that was not awaited.
 */
record Election(Quorum quorum, TokenClock clock, AcquireRequest request) {

    private static final int MAX_ROUNDS = 10;
    private static final int MIN_BACK_OFF_MILLIS = 25;
    private static final int MAX_BACK_OFF_MILLIS = 75;
    private static final int TRIES_A_REST = 10;
    private static final long MAX_REST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private int needed() {
        return quorum.needed(request.limit());
    }

    AcquireReply run() {
        long proposal = request.raising() ? request.leastToken() : Math.max(clock.proposal(), request.leastToken());
        boolean resent = false;
        for (int round = 1; ; round++) {
            Ballot<AcquireReply> ballot = propose(proposal, request.raising() || round > 1);
            resent |= ballot.isOutcomeUnknown() || ballot.count(AcquireReply::resent) > 0;
            List<AcquireReply.Granted> grants = ballot.answers(AcquireReply.Granted.class);
            if (grants.size() < needed()) {
                return refused(ballot, resent);
            }
            long highest = clock.highest(tokens(grants), needed());
            if (round == 1) {
                clock.learn(proposal, highest);
                clock.report(quorum.byName(
                        node -> ballot.answer(node) instanceof AcquireReply.Granted granted ? granted.token() : null));
            }
            Optional<AcquireReply.Granted> agreed = agreed(grants, resent);
            if (agreed.isPresent()) {
                return agreed.get();
            }
            if (round == MAX_ROUNDS) {
                return refused(ballot, resent);
            }
            proposal = highest;
        }
    }

    /** @param token the lowest one that servers may choose */
    private Ballot<AcquireReply> propose(long token, boolean raising) {
        AcquireRequest proposed = request.oneTry(Quorum.withDrift(request.leaseMillis()), token, raising);
        return quorum.askInRound(
                (node, round) -> node.call(request.owner(), round, () -> node.beginAcquire(proposed)), this::isDecided);
    }

    /** Tokens that are far apart do not decide it while other servers may still reply: most of them may agree. */
    private boolean isDecided(Ballot<AcquireReply> ballot) {
        List<AcquireReply.Granted> grants = ballot.answers(AcquireReply.Granted.class);
        if (grants.size() < needed()) {
            // The lock is held, or servers failed: either must be sufficient on its own. Otherwise the outstanding
            // replies decide whether this is contention or a failure.
            int spare = quorum.nodes.size() - needed();
            return ballot.failed() > spare || ballot.count(reply -> !(reply instanceof AcquireReply.Granted)) > spare;
        }
        List<Long> chosen = tokens(grants);
        return clock.fits(chosen.get(0), chosen.get(chosen.size() - 1))
                || agreed(grants, false).isPresent();
    }

    private static List<Long> tokens(List<AcquireReply.Granted> grants) {
        return grants.stream().map(AcquireReply.Granted::token).sorted().toList();
    }

    /**
     * The grant with one token, if enough servers chose it: no other token has as many. It reserves only the tokens that each of them
     * reserved.
     */
    private Optional<AcquireReply.Granted> agreed(List<AcquireReply.Granted> grants, boolean resent) {
        return grants.stream()
                .filter(any -> grants.stream()
                                .filter(each -> each.token() == any.token())
                                .count()
                        >= needed())
                .min(Comparator.comparing(AcquireReply.Granted::tokens))
                .map(any -> new AcquireReply.Granted(any.token(), any.tokens(), any.waiters(), resent));
    }

    /**
     * Grants of a minority are given back immediately, because they block others. So are their tokens: with a block for each
     * failed try, contending clients would drive the tokens ahead of the clock for as long as they contend.
     */
    private AcquireReply refused(Ballot<AcquireReply> ballot, boolean resent) {
        if (ballot.failed() > quorum.nodes.size() - needed()) {
            throw ballot.majorityLost(needed());
        }
        if (ballot.count(AcquireReply.Cancelled.class::isInstance) > 0) {
            return new AcquireReply.Cancelled();
        }
        ReleaseRequest unused = ReleaseRequest.unused(request.key(), request.owner());
        quorum.nodes.stream()
                .filter(node -> !(ballot.answer(node) instanceof AcquireReply.Held))
                .forEach(node -> node.giveBack(unused));
        Optional<LockHolder> holder = Merged.mostNamed(
                        ballot.answers(AcquireReply.Held.class).stream().flatMap(held -> held.holder().stream()))
                .map(Merged::withoutDrift);
        return new AcquireReply.Held(holder, 0, backOff(), 0, resent);
    }

    /** Random, so that two clients that collided do not collide again. */
    static Duration backOff() {
        return Duration.ofMillis(ThreadLocalRandom.current().nextInt(MIN_BACK_OFF_MILLIS, MAX_BACK_OFF_MILLIS));
    }

    /**
     * How long a refused waiter should not try again, in nanoseconds: at random, up to {@value #TRIES_A_REST} times as long as its last try
     * took, but no longer than a second.
     *
     * <p>A try occupies servers until its grants are given back. If <i>k</i> waiters do so for a share <i>s</i> of the time, each new try
     * finds <i>k s</i> others on every server. If that is more than the lock has room for, the tries split the servers among them, and a
     * free lock goes to nobody for as long as they all continue. With a fixed interval, <i>s</i> approaches 1 when servers or processors are
     * slow: twelve waiters for two permits could fail for half a minute when calls took 20 to 120 ms. With this rest, <i>s</i> is about a
     * sixth, however long a try takes, up to 0.1 s. At normal speed, the rest is shorter than the interval between two polls.
     */
    static long rest(long tookNanos) {
        return ThreadLocalRandom.current().nextLong(Math.min(TRIES_A_REST * tookNanos, MAX_REST_NANOS) + 1);
    }
}
