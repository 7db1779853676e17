package io.holdfast.lock.redis.driver.jedis;

import io.holdfast.lock.redis.driver.Wire.Answers;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import io.holdfast.lock.redis.driver.Wire.Sent;
import io.holdfast.lock.store.DaemonThreads;
import io.holdfast.lock.store.Uninterrupted;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;

/**
 * Connections on which there is the answer to a call that nobody waits for.
 *
 * <p>The next call that is waited for at once goes out on such a connection and reads that answer before its own: so it costs no
 * round trip, and the connection is not missed. What no call has taken after 5 ms is read by a thread of its own.
 *
 * <p><b>Each answer is read once, by one thread.</b> {@link Unread#take} is a compare-and-set; whoever wins has the connection
 * alone, reads, and tells.
 *
 * <p><b>Calls for the same key come later.</b> An answer stays in {@link #byKey} until it was read. A call for one key that finds
 * one there takes it, and is sent on the same connection, behind the call before. If it cannot take it, or is for several keys, or
 * its own answer is read later, it reads that answer, or waits until another thread has read it, before it is sent. Whoever has taken an
 * answer reads it next, and waits for nobody before; so there is no cycle, whatever else a thread that waits has sent and not read.
 */
final class UnreadAnswers {

    private static final Logger log = LoggerFactory.getLogger(UnreadAnswers.class);

    /** So a call that comes soon after finds it. */
    static final long UNREAD_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final long A_MOMENT_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final JedisLender lender;
    private final int most;
    private final boolean oneServer;
    private final long timeoutNanos;
    private final long unreadNanos;
    private final ConcurrentMap<ByteBuffer, Unread> byKey = new ConcurrentHashMap<>();
    private final ConcurrentLinkedDeque<Unread> oldestFirst = new ConcurrentLinkedDeque<>();

    /** Null if there is none. Read and written by those who add an answer, and by the thread when it ends. */
    private volatile @Nullable Thread reader;

    private volatile boolean readerIdle;

    /**
     * @param most how many connections may be kept at a time
     * @param oneServer whether each connection will do for any key
     * @param timeoutNanos for an answer
     * @param unreadNanos when an answer that no call has taken is read, from when its call was sent
     */
    UnreadAnswers(JedisLender lender, int most, boolean oneServer, long timeoutNanos, long unreadNanos) {
        this.lender = lender;
        this.most = most;
        this.oneServer = oneServer;
        this.timeoutNanos = timeoutNanos;
        this.unreadNanos = unreadNanos;
    }

    /** Whether there is room for the answer to a call for that key. */
    boolean hasRoomFor(ScriptCall call) {
        return byKey.size() < most && !byKey.containsKey(ByteBuffer.wrap(call.firstKey()));
    }

    /** To be called before the call is sent. Returns null if there is no room for it any more. */
    @Nullable
    Unread expect(ScriptCall call, Connection connection, Consumer<Sent> answered) {
        var unread = new Unread(call, connection, System.nanoTime() + timeoutNanos, answered);
        return byKey.size() < most && byKey.putIfAbsent(unread.key, unread) == null ? unread : null;
    }

    /** The call was sent, and its answer may be taken. */
    void add(Unread unread) {
        oldestFirst.add(unread);
        unread.taken.set(false);
        if (readerIdle || reader == null) {
            try {
                wakeReader();
            } catch (Error e) { // no more threads
                unread.settle();
            }
        }
    }

    /** The connection that a call has to go out on, or may; null if it may have any. To be read next, by the same thread. */
    @Nullable
    Unread takeFor(ScriptCall call) {
        if (byKey.isEmpty() || call.keys() > 1) {
            return null;
        }
        Unread same = byKey.get(ByteBuffer.wrap(call.firstKey()));
        if (same == null) {
            return oneServer ? takeOldest() : null;
        }
        return same.take() ? same : null;
    }

    private @Nullable Unread takeOldest() {
        for (Unread each : oldestFirst) {
            if (each.take()) {
                return each;
            }
        }
        return null;
    }

    /** The answers for these keys have been read when it returns, so that calls may go out on any connection. */
    void settle(List<ScriptCall> calls) {
        if (!byKey.isEmpty()) {
            calls.forEach(this::settle);
        }
    }

    private void settle(ScriptCall call) {
        for (int i = 0; i < call.keys(); i++) {
            Unread same = byKey.get(ByteBuffer.wrap(call.keysAndArgs()[i]));
            if (same != null) {
                same.settle();
            }
        }
    }

    /** Reads all that there is. */
    void settleAll() {
        byKey.values().forEach(Unread::settle);
    }

    private synchronized void wakeReader() {
        Thread running = reader;
        if (running == null) {
            running = DaemonThreads.create(this::work, "holdfast-answers");
            running.start();
            reader = running;
        } else {
            LockSupport.unpark(running);
        }
    }

    private void work() {
        try {
            readOld();
        } finally {
            leave();
        }
    }

    private synchronized void leave() {
        if (reader == Thread.currentThread()) {
            reader = null;
        }
    }

    /** Whoever adds an answer does so before it looks whether this thread is idle or gone; this one says so before its last look. */
    private void readOld() {
        long idleSince = System.nanoTime();
        while (true) {
            Unread oldest = oldestFirst.peekFirst();
            if (oldest != null) {
                idleSince = System.nanoTime();
                long age = idleSince - (oldest.deadline - timeoutNanos);
                long left = unreadNanos - age;
                if (left > 0) {
                    LockSupport.parkNanos(this, left);
                } else if (oldest.take()) {
                    oldest.read();
                } else {
                    LockSupport.parkNanos(this, A_MOMENT_NANOS); // somebody else is about to remove it
                }
                continue;
            }
            readerIdle = true;
            if (oldestFirst.isEmpty()) {
                LockSupport.parkNanos(this, IDLE_NANOS);
            }
            readerIdle = false;
            if (System.nanoTime() - idleSince >= IDLE_NANOS && isEnd()) {
                return;
            }
        }
    }

    private synchronized boolean isEnd() {
        reader = null;
        if (oldestFirst.isEmpty()) {
            return true;
        }
        reader = Thread.currentThread();
        return false;
    }

    /** The answer to one call, and its connection. */
    final class Unread {

        private final ScriptCall call;
        private final ByteBuffer key;
        private final Connection connection;
        private final long deadline;
        private final Consumer<Sent> answered;

        /** Until it is sent, nobody may take it. */
        private final AtomicBoolean taken = new AtomicBoolean(true);

        private final CountDownLatch read = new CountDownLatch(1);

        private Unread(ScriptCall call, Connection connection, long deadline, Consumer<Sent> answered) {
            this.call = call;
            this.key = ByteBuffer.wrap(call.firstKey());
            this.connection = connection;
            this.deadline = deadline;
            this.answered = answered;
        }

        Connection connection() {
            return connection;
        }

        private boolean take() {
            boolean first = taken.compareAndSet(false, true);
            if (first) {
                oldestFirst.remove(this);
            }
            return first;
        }

        /** Whoever has taken it has the answer. */
        void tell(Object reply) {
            end(() -> new Answers(List.of(reply), 0));
        }

        /** Whoever has taken it, or sends it, has met a failure. */
        void fail(Throwable failure) {
            end(() -> {
                throw failure instanceof RuntimeException e
                        ? e
                        : new IllegalStateException("The call that was to receive this reply failed", failure);
            });
        }

        private void end(Sent result) {
            if (byKey.remove(key, this)) {
                read.countDown();
                answered.accept(result);
            }
        }

        private void settle() {
            if (take()) {
                read();
                return;
            }
            if (!Uninterrupted.await(read, deadline - System.nanoTime())) {
                log.debug("A call was sent before the reply to the previous call for the same key had been read");
            }
        }

        /** Not for longer than the call may take, however long it has been waiting here. */
        private void read() {
            Object reply;
            try {
                long left = Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
                connection.setSoTimeout((int) left);
                reply = connection.getMany(1).get(0);
                connection.setSoTimeout((int) TimeUnit.NANOSECONDS.toMillis(timeoutNanos));
            } catch (RuntimeException e) {
                try {
                    lender.giveBack(connection, e);
                } finally {
                    fail(e);
                }
                return;
            }
            try {
                lender.giveBack(connection, List.of(call), List.of(reply));
            } finally {
                tell(reply);
            }
        }
    }
}
