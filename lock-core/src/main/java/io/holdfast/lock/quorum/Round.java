package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.Uninterrupted;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Calls to several servers, made by one thread: it sends all of them, and only then reads the replies. With a thread for each
 * server a pair of calls took twice as long.
 *
 * <p><b>The caller is not that thread.</b> A read from a server that has begun to hang ends after a whole command timeout,
 * and so does making a connection to it; nothing can end it earlier without breaking the connection, and then nobody would
 * know whether the call is still carried out. So the caller waits for the outcome of the ballot only, and the thread stays
 * behind at the server that hangs. Other threads take over what it has not come to: after {@value #PATIENCE_MILLIS} ms, or
 * when the next call of the same acquisition to that server comes. Each step of a call is done by one thread only, and a later
 * call of the acquisition waits for the earlier one, see {@link Node}.
 *
 * <p><b>The end.</b> A ballot is decided when most servers have answered; as a rule the last answers are there a few
 * microseconds later. The caller waits for them for up to a millisecond, since then its next call need not wait. A server that
 * needs longer is slow, and gets threads of its own from then on, so this delay occurs once.
 */
final class Round {

    private static final int PATIENCE_MILLIS = 10;
    private static final int LAST_ANSWERS_MILLIS = 1;

    private final List<Node.NodeCall<?>> calls = new ArrayList<>();
    private final CountDownLatch end = new CountDownLatch(1);

    void add(Node.NodeCall<?> call) {
        calls.add(call);
    }

    void start(Executor threads) {
        try {
            threads.execute(() -> {
                calls.forEach(Node.NodeCall::send);
                calls.forEach(Node.NodeCall::finish);
                end.countDown();
            });
        } catch (RejectedExecutionException e) {
            LockStoreException closed = new LockStoreException("The quorum store is closed", e, false);
            calls.forEach(call -> call.completeExceptionally(closed));
            end.countDown();
        }
    }

    /** Returns when the ballot is decided, see above. */
    void await(Ballot<?> ballot) {
        if (!ballot.await(TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS))) {
            calls.forEach(call -> call.leaveBehind(true));
            ballot.await(Long.MAX_VALUE);
        } else if (!Uninterrupted.await(end, TimeUnit.MILLISECONDS.toNanos(LAST_ANSWERS_MILLIS))) {
            calls.forEach(call -> call.leaveBehind(false));
        }
    }
}
