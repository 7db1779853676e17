package io.holdfast.lock.benchmarks.contention;

import io.holdfast.lock.benchmarks.peer.Latch;
import io.holdfast.lock.benchmarks.peer.Peer;
import io.holdfast.lock.benchmarks.peer.PeerClient;
import io.holdfast.lock.benchmarks.peer.Servers;
import io.holdfast.lock.benchmarks.statistics.Waits;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Two clients that take turns. The measured time runs from just before one client's unlock until the other's lock call, which has been
 * waiting for a few milliseconds, returns.
 */
final class HandOver implements Job {

    private static final long SURELY_WAITING_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

    private final Message order;
    private final long turns;
    private final long warmUpTurns;
    private final long warmUpNanos;
    private final Waits times = new Waits();
    private long begun;
    private long played;
    private volatile long unlockBegan;
    private volatile boolean over;
    private volatile @Nullable Throwable failure;

    HandOver(Message order) {
        this.order = order;
        this.turns = order.number("turns");
        this.warmUpTurns = order.number("warmUpTurns");
        this.warmUpNanos = TimeUnit.MILLISECONDS.toNanos(order.number("warmUpMillis"));
    }

    @Override
    public void prepare() {}

    @Override
    public Message run(Marks marks) throws Exception {
        Peer peer = Peer.valueOf(order.text("peer"));
        marks.window();
        try (PeerClient first = open(peer);
                PeerClient second = open(peer)) {
            Side one = new Side(first.latch(order.text("key")));
            Side two = new Side(second.latch(order.text("key")));
            one.other = two;
            two.other = one;
            one.mayAsk.release();
            play(one, two);
        }
        marks.end();
        if (failure != null) {
            throw new IllegalStateException("A side failed", failure);
        }
        return Message.of(Message.REPORT).with("waits", times.text());
    }

    private PeerClient open(Peer peer) {
        return peer.open(Servers.of((int) order.number("port")), order.number("leaseMillis"));
    }

    private void play(Side one, Side two) throws InterruptedException {
        begun = System.nanoTime();
        Thread first = new Thread(one, "side-1");
        Thread second = new Thread(two, "side-2");
        first.start();
        second.start();
        first.join();
        second.join();
    }

    /** Called by the holder of the lock, before the other may request it. */
    private void account(long got) {
        played++;
        boolean warm = played > warmUpTurns || got - begun > warmUpNanos;
        if (warm) {
            times.record(got - unlockBegan);
            over = times.count() >= turns;
        }
    }

    /** One of the two clients. At any time one holds the lock, and the other waits for it or is about to. */
    private final class Side implements Runnable {

        private final Latch latch;
        private final Semaphore mayAsk = new Semaphore(0);
        private final Semaphore otherAsks = new Semaphore(0);
        private @Nullable Side other;

        private Side(Latch latch) {
            this.latch = latch;
        }

        @Override
        public void run() {
            try {
                mayAsk.acquire();
                while (!over) {
                    oneTurn();
                    mayAsk.acquire();
                }
            } catch (Throwable e) {
                failure = e;
                over = true;
            } finally {
                other().otherAsks.release();
                other().mayAsk.release();
            }
        }

        private void oneTurn() throws InterruptedException {
            other().otherAsks.release();
            latch.lock();
            account(System.nanoTime());
            other().mayAsk.release();
            otherAsks.acquire();
            LockSupport.parkNanos(SURELY_WAITING_NANOS);
            unlockBegan = System.nanoTime();
            latch.unlock();
        }

        private Side other() {
            return Objects.requireNonNull(other);
        }
    }
}
