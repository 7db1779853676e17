package io.holdfast.lock.benchmarks.contention;

import com.sun.management.OperatingSystemMXBean;
import io.holdfast.lock.benchmarks.peer.Latch;
import io.holdfast.lock.benchmarks.peer.Peer;
import io.holdfast.lock.benchmarks.peer.PeerClient;
import io.holdfast.lock.benchmarks.peer.Servers;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

/** One thread that holds many locks and does nothing else; this process' CPU time is the client's. */
final class HoldMany implements Job {

    private final Message order;
    private final List<Latch> held = new ArrayList<>();
    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private int threadsWhenIdle;
    private @Nullable PeerClient client;

    HoldMany(Message order) {
        this.order = order;
    }

    @Override
    public void prepare() {
        Peer peer = Peer.valueOf(order.text("peer"));
        client = peer.open(Servers.of((int) order.number("port")), order.number("leaseMillis"));
        threadsWhenIdle = threads();
    }

    @Override
    public Message run(Marks marks) throws Exception {
        PeerClient opened = Objects.requireNonNull(client);
        for (long i = 0; i < order.number("locks"); i++) {
            Latch latch = opened.latch(order.text("key") + ':' + i);
            latch.lock();
            held.add(latch);
        }
        Thread.sleep(order.number("leaseMillis"));
        marks.window();
        long cpuBefore = system.getProcessCpuTime();
        long begin = System.nanoTime();
        Thread.sleep(order.number("windowMillis"));
        long cpu = system.getProcessCpuTime() - cpuBefore;
        long window = System.nanoTime() - begin;
        int threads = threads();
        marks.end();
        long lost = lost();
        opened.close();
        return Message.of(Message.REPORT)
                .with("windowNanos", window)
                .with("cpuNanos", cpu)
                .with("threadsAdded", threads - threadsWhenIdle)
                .with("lost", lost);
    }

    /** How many locks are lost according to Redis, whatever the peer believes. */
    private long lost() {
        try (Jedis redis = new Jedis("127.0.0.1", (int) order.number("port"))) {
            return held.stream().filter(latch -> !latch.isInRedis(redis)).count();
        }
    }

    private static int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }
}
