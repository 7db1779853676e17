package io.holdfast.lock.benchmarks.uncontended;

import io.holdfast.lock.benchmarks.peer.Peer;
import io.holdfast.lock.benchmarks.peer.PeerClient;
import io.holdfast.lock.benchmarks.peer.Servers;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The client that a benchmark's threads share. */
@State(Scope.Benchmark)
public class ClientState {

    private static final long LEASE_MILLIS = 30_000;

    @Param("HOLDFAST")
    public Peer peer = Peer.HOLDFAST;

    @Param("6379")
    public String servers = "6379";

    /** The cores for this process, in the format of taskset. */
    @Param(Placed.ANY)
    public String cores = Placed.ANY;

    private final AtomicInteger threads = new AtomicInteger();
    private @Nullable PeerClient client;

    @Setup(Level.Trial)
    public void open() {
        if (!cores.equals(Placed.ANY)) {
            Cores.bind(ProcessHandle.current().pid(), cores);
        }
        client = peer.open(Servers.parse(servers), LEASE_MILLIS);
    }

    @TearDown(Level.Trial)
    public void close() {
        client().close();
    }

    PeerClient client() {
        return Objects.requireNonNull(client);
    }

    /** {@return a key that no other thread has} */
    String ownKey() {
        return "own:" + peer + ':' + threads.incrementAndGet();
    }
}
