package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.ConnectionsInUseException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One request to all servers, and their replies. It is decided as soon as no further reply can change the outcome, or when all
 * have replied or failed. Later replies are ignored.
 *
 * @param <A> the type of an answer
 */
final class Ballot<A> {

    private final List<Node> nodes;
    private final Predicate<Ballot<A>> decided;
    private final Map<Node, A> answers = new HashMap<>();
    private final Map<Node, Throwable> failures = new LinkedHashMap<>();

    /** Zero once it is decided. */
    final CountDownLatch closed = new CountDownLatch(1);

    /** @param decided called under this ballot's monitor, after each reply */
    Ballot(List<Node> nodes, Predicate<Ballot<A>> decided) {
        this.nodes = nodes;
        this.decided = decided;
    }

    synchronized void add(Node node, @Nullable A answer, @Nullable Throwable failure) {
        if (closed.getCount() == 0) {
            return;
        }
        if (answer == null) {
            failures.put(node, failure == null ? new IllegalStateException("A store returned no reply") : failure);
        } else {
            answers.put(node, answer);
        }
        if (answers.size() + failures.size() == nodes.size() || decided.test(this)) {
            closed.countDown();
        }
    }

    /** The reply from that server, or null. */
    synchronized @Nullable A answer(Node node) {
        return answers.get(node);
    }

    /** In the order of the servers. */
    synchronized List<A> answers() {
        return nodes.stream().map(answers::get).flatMap(Stream::ofNullable).toList();
    }

    /** The answers of one kind. */
    <B extends A> List<B> answers(Class<B> kind) {
        return answers().stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** @throws LockStoreException if there are fewer answers */
    List<A> answers(int needed) {
        List<A> all = answers();
        if (all.size() < needed) {
            throw majorityLost(needed);
        }
        return all;
    }

    int count(Predicate<A> which) {
        return (int) answers().stream().filter(which).count();
    }

    /** Whether that many servers agree, or no longer can. */
    boolean isDecided(Predicate<A> yes, int needed) {
        return count(yes) >= needed || failed() + count(yes.negate()) > nodes.size() - needed;
    }

    synchronized int failed() {
        return failures.size();
    }

    /** Whether a call that failed may have been carried out, or may still arrive. */
    synchronized boolean isOutcomeUnknown() {
        return failures.values().stream()
                .anyMatch(failure -> !(failure instanceof LockStoreException known) || known.outcomeUnknown());
    }

    /** Too many servers failed. If that is only because this client had no free connections, the cause says so. */
    synchronized LockStoreException majorityLost(int needed) {
        String reasons = failures.entrySet().stream()
                .map(each -> each.getKey().name + ": " + each.getValue().getMessage())
                .collect(Collectors.joining("; "));
        List<ConnectionsInUseException> shortages = failures.values().stream()
                .map(Throwable::getCause)
                .filter(ConnectionsInUseException.class::isInstance)
                .map(ConnectionsInUseException.class::cast)
                .toList();
        Throwable cause = failures.values().iterator().next();
        if (failures.size() - shortages.size() <= nodes.size() - needed) {
            cause = new ConnectionsInUseException(
                    cause, shortages.stream().anyMatch(ConnectionsInUseException::isFirstConnection));
        }
        LockStoreException exception = new LockStoreException(
                failures.size() + " of " + nodes.size() + " lock servers failed, and " + needed + " must succeed. "
                        + reasons,
                cause,
                true);
        failures.values().stream().skip(1).forEach(exception::addSuppressed);
        return exception;
    }
}
