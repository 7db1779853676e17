package io.holdfast.lock.redis.driver.jedis;

import io.holdfast.lock.redis.driver.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Has calls share connections when there are more calls than connections. A call has a connection for itself as long as few are under
 * way. The others are written together, in batches, each on a connection of its own for as long as it takes; so the server reads
 * and answers many calls at once, and no call waits for a connection that another thread has to give back first. No thread is
 * added: callers do all writing and reading.
 *
 * <p>A call that shares is pending, then in a batch, then answered; or it is given up while it is pending, and never sent. Each step
 * is one compare-and-set, so it is in one batch at most, and what was given up is in none.
 *
 * <p><b>The stream stays in step.</b> A batch has its connection alone, and one thread at a time writes or reads it. It is not
 * given back before all answers are read; if that fails, the connection is dropped, and each call of the batch fails once. An
 * interrupt, or a timeout of a call, ends only pending calls.
 *
 * <p><b>Nobody is forgotten.</b> There are as many permits as batches may be under way. Whoever adds a call looks for a permit after
 * that, and whoever gives a permit back looks for calls after that; so while a call is pending, all permits are taken. A batch that is
 * written is read by one of its callers that waits. If none does yet, for a call may be begun and awaited later, a pending call
 * reads it, since it waits for the permit. Whoever begins to wait looks for such a batch itself. A caller that waits already is
 * woken once the batch is visible; if it gives up instead, it wakes another one after it has left the pending calls. So a batch
 * that is not read has no caller that waits, and there is no pending call that waits, or one of them is about to read it.
 *
 * <p>Calls with a {@code WAIT} never share a connection, because it counts what was written before it on the same connection.
 */
final class JedisCombiningWire implements Wire {

    /** Two overlap: one is read by the server while the other one is on its way. More were no faster. */
    private static final int MOST_BATCHES = 2;

    private static final int FEW_CONNECTIONS = 4;
    private static final int MOST_CALLS = 64;

    private final Wire alone;
    private final long timeoutNanos;
    private final int mostAlone;
    private final AtomicInteger underWay = new AtomicInteger();
    private final Semaphore permits;
    private final ConcurrentLinkedQueue<Call> pending = new ConcurrentLinkedQueue<>();

    /** Those that are written, and not read yet. */
    private final ConcurrentLinkedQueue<Batch> written = new ConcurrentLinkedQueue<>();

    /**
     * @param alone sends on a connection that nobody else uses meanwhile
     * @param connections how many there are, 1 or more
     * @param timeout how long a call may be pending
     */
    JedisCombiningWire(Wire alone, int connections, Duration timeout) {
        int batches = connections < FEW_CONNECTIONS ? 1 : MOST_BATCHES;
        this.alone = alone;
        this.timeoutNanos = timeout.toNanos();
        this.permits = new Semaphore(batches);
        this.mostAlone = connections - batches;
    }

    @Override
    public Sent send(List<ScriptCall> calls, Acks acks, long start) {
        return isAlone(acks) ? sendAlone(calls, acks, start) : share(calls, start);
    }

    @Override
    public Answers call(List<ScriptCall> calls, Acks acks, long start) {
        if (!isAlone(acks)) {
            return share(calls, start).await();
        }
        try {
            return alone.call(calls, acks, start);
        } finally {
            underWay.decrementAndGet();
        }
    }

    /** Counts the call, which is under way from now on. */
    private boolean isAlone(Acks acks) {
        return underWay.getAndIncrement() < mostAlone || acks.wanted();
    }

    private Sent share(List<ScriptCall> calls, long start) {
        var call = new Call(calls, start + timeoutNanos);
        pending.add(call);
        writePending();
        return call;
    }

    /** Only where there are connections enough: a call that nobody waits for would have nobody to write or read its batch. */
    @Override
    public boolean sendUnawaited(ScriptCall call, Consumer<Sent> answered) {
        return underWay.get() < mostAlone && alone.sendUnawaited(call, answered);
    }

    private Sent sendAlone(List<ScriptCall> calls, Acks acks, long start) {
        Sent sent;
        try {
            sent = alone.send(calls, acks, start);
        } catch (RuntimeException | Error e) {
            underWay.decrementAndGet();
            throw e;
        }
        return () -> {
            try {
                return sent.await();
            } finally {
                underWay.decrementAndGet();
            }
        };
    }

    private void writePending() {
        while (!pending.isEmpty() && permits.tryAcquire()) {
            List<Call> batch = takePending();
            if (batch.isEmpty()) {
                permits.release();
            } else {
                write(new Batch(batch));
            }
        }
    }

    private List<Call> takePending() {
        List<Call> taken = new ArrayList<>();
        int size = 0;
        for (Call next = pending.poll(); next != null; next = size < MOST_CALLS ? pending.poll() : null) {
            if (next.take()) {
                taken.add(next);
                size += next.calls.size();
            }
        }
        return taken;
    }

    private void write(Batch batch) {
        Sent sent;
        try {
            List<ScriptCall> calls =
                    batch.calls.stream().flatMap(each -> each.calls.stream()).toList();
            sent = alone.send(calls, Acks.NONE, System.nanoTime());
        } catch (RuntimeException | Error e) {
            permits.release();
            batch.fail(e);
            return;
        }
        batch.sent = sent;
        written.add(batch);
        batch.calls.forEach(each -> each.batch = batch);
        wakeReader(batch);
    }

    private void wakeReader(Batch batch) {
        if (batch.calls.stream().noneMatch(Call::wake)) {
            wakeAnyPending();
        }
    }

    private void wakeAnyPending() {
        for (Call each : pending) {
            if (each.wake()) {
                return;
            }
        }
    }

    /** Returns whether it was read by this thread. Others may want to write before the answers are handed out. */
    private boolean read(@Nullable Batch batch) {
        if (batch == null || !batch.beginReading()) {
            return false;
        }
        written.remove(batch);
        Answers answers = null;
        Throwable failure = null;
        try {
            answers = Objects.requireNonNull(batch.sent).await();
        } catch (RuntimeException | Error e) {
            failure = e;
        }
        permits.release();
        try {
            writePending();
        } finally {
            if (answers != null) {
                batch.answer(answers.replies());
            } else {
                batch.fail(Objects.requireNonNull(failure));
            }
        }
        return true;
    }

    private boolean readAny() {
        return written.stream().anyMatch(this::read);
    }

    /** Calls that are written together. */
    private static final class Batch {

        private final List<Call> calls;
        private final AtomicBoolean reading = new AtomicBoolean();

        /** Set before the batch can be seen. */
        private volatile @Nullable Sent sent;

        Batch(List<Call> calls) {
            this.calls = calls;
        }

        boolean beginReading() {
            return reading.compareAndSet(false, true);
        }

        void answer(List<Object> replies) {
            int from = 0;
            for (Call call : calls) {
                int to = from + call.calls.size();
                call.end(new SharedOutcome(new Answers(replies.subList(from, to), 0), null));
                from = to;
            }
        }

        void fail(Throwable failure) {
            for (Call call : calls) {
                call.end(new SharedOutcome(null, failure));
            }
        }
    }

    private enum State {
        PENDING,
        GIVEN_UP,
        IN_BATCH
    }

    /** What one caller has sent; more than one call if they are for one server and need each other's company. */
    private final class Call implements Sent {

        private final List<ScriptCall> calls;
        private final long deadline;
        private final AtomicReference<State> state = new AtomicReference<>(State.PENDING);
        private volatile @Nullable Batch batch;
        private volatile @Nullable SharedOutcome outcome;
        private volatile @Nullable Thread waiting;

        Call(List<ScriptCall> calls, long deadline) {
            this.calls = calls;
            this.deadline = deadline;
        }

        boolean take() {
            return state.compareAndSet(State.PENDING, State.IN_BATCH);
        }

        void end(SharedOutcome found) {
            outcome = found;
            wake();
        }

        /** Returns whether somebody waits. */
        boolean wake() {
            Thread thread = waiting;
            if (thread != null) {
                LockSupport.unpark(thread);
            }
            return thread != null;
        }

        @Override
        public Answers await() {
            boolean interrupted = false;
            waiting = Thread.currentThread();
            try {
                while (true) {
                    SharedOutcome found = outcome;
                    if (found != null) {
                        return found.get();
                    }
                    if (!read(batch) && !(isPending() && readAny())) {
                        interrupted |= park(interrupted);
                    }
                }
            } finally {
                waiting = null;
                underWay.decrementAndGet();
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        private boolean isPending() {
            return state.get() == State.PENDING;
        }

        /** Whoever reads its batch is limited by the connection's timeout. Returns whether the thread was interrupted. */
        private boolean park(boolean interrupted) {
            if (!isPending()) {
                LockSupport.park(this);
                return Thread.interrupted();
            }
            long left = deadline - System.nanoTime();
            if (interrupted || left <= 0) {
                giveUp(interrupted);
                return false;
            }
            LockSupport.parkNanos(this, left);
            return Thread.interrupted();
        }

        private void giveUp(boolean interrupted) {
            if (!state.compareAndSet(State.PENDING, State.GIVEN_UP)) {
                return;
            }
            pending.remove(this);
            if (!written.isEmpty()) {
                wakeAnyPending(); // this one may have been woken to read
            }
            throw interrupted
                    ? new JedisException(new InterruptedException("Interrupted while all connections were in use"))
                    : new JedisException(new NoSuchElementException("Timeout waiting for a shared connection"));
        }
    }
}
