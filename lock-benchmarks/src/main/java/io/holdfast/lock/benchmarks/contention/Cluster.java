package io.holdfast.lock.benchmarks.contention;

import io.holdfast.lock.benchmarks.peer.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Worker processes that do the same job at the same time. */
public final class Cluster implements AutoCloseable {

    private final List<WorkerProcess> workers = new ArrayList<>();

    public Cluster(int processes) {
        for (int i = 0; i < processes; i++) {
            workers.add(new WorkerProcess());
        }
    }

    /** The workers' reports, and the increase of a count while they measured. */
    record Outcome(List<Message> reports, long counted) {}

    Outcome run(Message order, LongSupplier count) {
        workers.forEach(worker -> worker.send(order));
        workers.forEach(worker -> worker.await(Message.READY));
        workers.forEach(worker -> worker.send(Message.of(Message.GO)));
        workers.forEach(worker -> worker.await(Message.WINDOW));
        long before = count.getAsLong();
        workers.forEach(worker -> worker.await(Message.END));
        long counted = count.getAsLong() - before;
        return new Outcome(
                workers.stream().map(worker -> worker.await(Message.REPORT)).toList(), counted);
    }

    static Message order(String job, Peer peer, int port, long leaseMillis) {
        return Message.of(job)
                .with("peer", peer)
                .with("port", port)
                .with("key", "contended")
                .with("leaseMillis", leaseMillis);
    }

    @Override
    public void close() {
        workers.forEach(WorkerProcess::close);
    }
}
