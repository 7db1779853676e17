package io.holdfast.lock.benchmarks.contention;

import io.holdfast.lock.benchmarks.peer.Peer;
import io.holdfast.lock.benchmarks.peer.PeerClient;
import io.holdfast.lock.benchmarks.peer.Servers;
import io.holdfast.lock.benchmarks.statistics.Waits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Clients of this process, each with several threads, on one key. */
final class Contention implements Job {

    /** The phase of a run. */
    enum Phase {
        /** This process runs alone, on its own key. */
        APART,
        WARM_UP,
        WINDOW,
        OVER
    }

    private final Message order;
    private final long holdNanos;
    private final long pauseNanos;
    private final List<PeerClient> clients = new ArrayList<>();
    private final List<Contender> contenders = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch start = new CountDownLatch(1);
    private volatile Phase phase = Phase.APART;
    private volatile long windowEnd;
    private @Nullable SharedCounter counter;

    Contention(Message order) {
        this.order = order;
        this.holdNanos = TimeUnit.MICROSECONDS.toNanos(order.number("holdMicros"));
        this.pauseNanos = TimeUnit.MICROSECONDS.toNanos(order.number("pauseMicros"));
    }

    @Override
    public void prepare() throws Exception {
        counter = new SharedCounter(Path.of(order.text("counter")));
        Peer peer = Peer.valueOf(order.text("peer"));
        String key = order.text("key");
        String ownKey = key + '-' + ProcessHandle.current().pid();
        for (int i = 0; i < order.number("clients"); i++) {
            PeerClient client = peer.open(Servers.of((int) order.number("port")), order.number("leaseMillis"));
            clients.add(client);
            for (int j = 0; j < order.number("threads"); j++) {
                Contender contender = new Contender(this, client.latch(ownKey), client.latch(key), start);
                contenders.add(contender);
                Thread thread = new Thread(contender, "contender-" + i + '-' + j);
                threads.add(thread);
                thread.start();
            }
        }
    }

    @Override
    public Message run(Marks marks) throws Exception {
        start.countDown();
        Thread.sleep(order.number("apartMillis"));
        phase = Phase.WARM_UP;
        Thread.sleep(order.number("warmUpMillis"));
        long begin = System.nanoTime();
        phase = Phase.WINDOW;
        marks.window();
        Thread.sleep(order.number("windowMillis"));
        windowEnd = System.nanoTime();
        phase = Phase.OVER;
        marks.end();
        for (Thread thread : threads) {
            thread.join();
        }
        clients.forEach(PeerClient::close);
        return report(windowEnd - begin);
    }

    private Message report(long windowNanos) {
        Waits waits = new Waits();
        long acquired = 0;
        for (Contender contender : contenders) {
            Throwable failure = contender.failure();
            if (failure != null) {
                throw new IllegalStateException("A contender failed", failure);
            }
            waits.add(contender.waits());
            acquired += contender.acquired();
        }
        String shares = contenders.stream()
                .map(contender -> String.valueOf(contender.acquiredInWindow()))
                .collect(Collectors.joining(","));
        return Message.of(Message.REPORT)
                .with("acquired", acquired)
                .with("shares", shares)
                .with("windowNanos", windowNanos)
                .with("waits", waits.text());
    }

    Phase phase() {
        return phase;
    }

    long windowEnd() {
        return windowEnd;
    }

    long holdNanos() {
        return holdNanos;
    }

    long pauseNanos() {
        return pauseNanos;
    }

    SharedCounter counter() {
        return Objects.requireNonNull(counter);
    }
}
