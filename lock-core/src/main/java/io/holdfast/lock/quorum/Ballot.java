package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.store.Uninterrupted;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One request to all servers, and their replies. It is decided as soon as no further reply can change the outcome, or when all
 * have replied or failed. Later replies are ignored.
 *
 * @param <A> an answer
 */
final class Ballot<A> {

    private final List<Node> nodes;
    private final Predicate<Ballot<A>> decided;
    private final List<@Nullable A> answers;
    private final Map<Integer, Throwable> failures = new LinkedHashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    /** @param decided is called under this monitor, after each reply */
    Ballot(List<Node> nodes, Predicate<Ballot<A>> decided) {
        this.nodes = nodes;
        this.decided = decided;
        this.answers = new ArrayList<>(Collections.nCopies(nodes.size(), null));
    }

    synchronized void add(int node, @Nullable A answer, @Nullable Throwable failure) {
        if (closed.getCount() == 0) {
            return;
        }
        if (answer == null) {
            failures.put(node, unwrapped(failure));
        } else {
            answers.set(node, answer);
        }
        if (answers().count() + failures.size() == nodes.size() || decided.test(this)) {
            closed.countDown();
        }
    }

    private static Throwable unwrapped(@Nullable Throwable failure) {
        if (failure instanceof CompletionException wrapper && wrapper.getCause() != null) {
            return wrapper.getCause();
        }
        return failure == null ? new IllegalStateException("A store returned no reply") : failure;
    }

    /** Returns when it is decided. Each call to a server ends within its timeout, so interrupts can wait. */
    void await() {
        Uninterrupted.await(closed, Long.MAX_VALUE);
    }

    /** Open until it is decided. */
    CountDownLatch closed() {
        return closed;
    }

    /** The reply of that server, or null. */
    synchronized @Nullable A answer(int node) {
        return answers.get(node);
    }

    synchronized Stream<A> answers() {
        return answers.stream().flatMap(Stream::ofNullable).toList().stream();
    }

    int count(Predicate<A> which) {
        return (int) answers().filter(which).count();
    }

    /** How many servers have given a different reply, or have failed. */
    synchronized int without(Predicate<A> which) {
        return failures.size() + count(which.negate());
    }

    synchronized int failed() {
        return failures.size();
    }

    /** Whether a call that failed may have been carried out, or may still arrive. */
    synchronized boolean isOutcomeUnknown() {
        return failures.values().stream()
                .anyMatch(failure -> !(failure instanceof LockStoreException known) || known.outcomeUnknown());
    }

    /** Too many servers failed. If enough had not but for connections of this client, which were all in use, the cause says so. */
    synchronized LockStoreException majorityLost(int needed) {
        String reasons = failures.entrySet().stream()
                .map(each ->
                        nodes.get(each.getKey()).name() + ": " + each.getValue().getMessage())
                .collect(Collectors.joining("; "));
        List<Throwable> servers =
                failures.values().stream().filter(each -> !isShortage(each)).toList();
        Throwable first = failures.values().iterator().next();
        LockStoreException exception = new LockStoreException(
                failures.size() + " of " + nodes.size() + " lock servers failed, and " + needed + " must succeed. "
                        + reasons,
                servers.size() > nodes.size() - needed ? first : shortage(first),
                true);
        failures.values().stream().skip(1).forEach(exception::addSuppressed);
        return exception;
    }

    /** A single try waits for first connections, as with one server. */
    private ConnectionsInUseException shortage(Throwable first) {
        boolean isFirst = failures.values().stream()
                .anyMatch(
                        each -> each.getCause() instanceof ConnectionsInUseException busy && busy.isFirstConnection());
        return isFirst ? ConnectionsInUseException.ofFirstConnection(first) : new ConnectionsInUseException(first);
    }

    private static boolean isShortage(Throwable failure) {
        return failure.getCause() instanceof ConnectionsInUseException;
    }
}
