package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.testing.NoStore;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

/**
 * Runs an acquisition of the real {@link QuorumLockStore} up to its next question, again and again from the beginning, with
 * the answers that are known. So its rounds can be explored one answer at a time, without threads.
 */
public final class QuorumStepper {

    /** What a server is known to have done: an answer, a failure, or nothing yet. */
    public static final Object NOTHING_YET = new Object();

    public static final Object FAILED = new Object();

    private static final int SERVERS = Quorum.MIN_SERVERS;
    private static final Method DECIDED = decided();
    private static final RuntimeException NO_ANSWER = new IllegalStateException("no answer");

    /** What the store does next. */
    public sealed interface Next {

        record Asks(AcquireRequest request) implements Next {}

        record Answers(AcquireReply reply) implements Next {}

        record Fails() implements Next {}
    }

    private QuorumStepper() {}

    private static Method decided() {
        try {
            Method decided = Election.class.getDeclaredMethod("isDecided", Ballot.class);
            decided.setAccessible(true);
            return decided;
        } catch (NoSuchMethodException e) {
            throw new LinkageError("Elections have changed", e);
        }
    }

    /** How long a server keeps a lease of that length. */
    public static long onEachNode(long leaseMillis) {
        return Quorum.withDrift(leaseMillis);
    }

    /** Whether a round is over, with what each server has done in it. */
    public static boolean isDecided(AcquireRequest request, List<Object> round, Ticker ticker) {
        Quorum quorum =
                new Quorum(nodes(new Course(List.of(), (node, back) -> {})), Ticker.SYSTEM, threads -> Runnable::run);
        Election election = new Election(quorum, new TokenClock(longest(request), ticker), request);
        Ballot<AcquireReply> ballot = new Ballot<>(quorum.nodes, each -> isDecided(election, each));
        for (int node = 0; node < SERVERS; node++) {
            Object known = round.get(node);
            if (known != NOTHING_YET) {
                ballot.add(
                        quorum.nodes.get(node),
                        known == FAILED ? null : (AcquireReply) known,
                        known == FAILED ? failure() : null);
            }
        }
        return ballot.closed.getCount() == 0;
    }

    private static boolean isDecided(Election election, Ballot<AcquireReply> ballot) {
        try {
            return (boolean) DECIDED.invoke(election, ballot);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("Elections have changed", e);
        }
    }

    private static Duration longest(AcquireRequest request) {
        return Duration.ofMillis(request.leaseMillis());
    }

    /**
     * What came of an acquisition.
     *
     * @param released how the lock is given back, and to which servers
     */
    public record Run(Next next, Map<Integer, ReleaseRequest> released) {}

    /**
     * Acquires, with what is known of the rounds so far. It asks on this thread, and what is not known counts as failed; if
     * that was a question of a new round, nothing that came of it counts.
     */
    public static Run acquire(AcquireRequest request, List<List<Object>> rounds, Ticker ticker) {
        Map<Integer, ReleaseRequest> released = new TreeMap<>();
        Course course = new Course(rounds, released::put);
        QuorumLockStore store = new QuorumLockStore(nodes(course), longest(request), ticker, threads -> Runnable::run);
        Next next;
        try {
            next = new Next.Answers(store.acquire(request));
        } catch (LockStoreException e) {
            next = new Next.Fails();
        }
        return course.asked == null ? new Run(next, released) : new Run(new Next.Asks(course.asked), Map.of());
    }

    private static List<QuorumNode> nodes(Course course) {
        return IntStream.range(0, SERVERS)
                .mapToObj(node -> new QuorumNode("server " + (node + 1), new Known(node, course)))
                .toList();
    }

    private static RuntimeException failure() {
        return NO_ANSWER;
    }

    /** What is known, and the first question beyond. */
    private static final class Course {
        private final List<List<Object>> rounds;
        private final BiConsumer<Integer, ReleaseRequest> released;
        private AcquireRequest asked;

        Course(List<List<Object>> rounds, BiConsumer<Integer, ReleaseRequest> released) {
            this.rounds = rounds;
            this.released = released;
        }
    }

    /** A server that answers as it is known to have answered. */
    private static final class Known extends NoStore {
        private final int node;
        private final Course course;
        private int round;

        Known(int node, Course course) {
            this.node = node;
            this.course = course;
        }

        @Override
        public Pending<AcquireReply> beginAcquire(AcquireRequest request) {
            if (round == course.rounds.size()) {
                course.asked = request;
                throw failure();
            }
            Object known = course.rounds.get(round++).get(node);
            return () -> {
                if (known instanceof AcquireReply reply) {
                    return reply;
                }
                throw failure();
            };
        }

        @Override
        public ReleaseReply release(ReleaseRequest request) {
            course.released.accept(node, request);
            return ReleaseReply.RELEASED;
        }

        @Override
        public AcquireReply acquire(AcquireRequest request) {
            return beginAcquire(request).await();
        }
    }
}
