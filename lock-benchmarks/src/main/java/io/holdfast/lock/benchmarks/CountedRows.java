package io.holdfast.lock.benchmarks;

import static io.holdfast.lock.benchmarks.peer.Peer.FLOOR;
import static io.holdfast.lock.benchmarks.peer.Peer.HOLDFAST;
import static io.holdfast.lock.benchmarks.peer.Peer.HOLDFAST_FAIR;
import static io.holdfast.lock.benchmarks.peer.Peer.REDISSON;
import static io.holdfast.lock.benchmarks.peer.Peer.SPRING;
import static io.holdfast.lock.benchmarks.report.Metric.COMMANDS;
import static io.holdfast.lock.benchmarks.report.Metric.RENEWAL_RATE;

import io.holdfast.lock.benchmarks.contention.Load;
import io.holdfast.lock.benchmarks.contention.Runs;
import io.holdfast.lock.benchmarks.contention.Window;
import io.holdfast.lock.benchmarks.peer.Peer;
import io.holdfast.lock.benchmarks.report.Bar;
import io.holdfast.lock.benchmarks.report.Row;
import java.util.ArrayList;
import java.util.List;

/** Rows that count the commands sent. */
final class CountedRows {

    /** The largest factor, relative to 2 clients, that still counts as flat. */
    private static final double FLAT = 1.15;

    private static final double MAX_COMMANDS = 3.5;
    private static final long TEN_MILLIS = 10_000;
    private static final int[] CLIENTS = {2, 4, 8};
    private static final int[] WAITERS = {1, 8, 64, 512};

    private CountedRows() {}

    static List<Work> all() {
        List<Work> rows = new ArrayList<>();
        for (long holdMicros : new long[] {0, TEN_MILLIS}) {
            for (int clients : CLIENTS) {
                rows.add(clients(clients, holdMicros));
            }
        }
        for (int waiters : WAITERS) {
            rows.add(waiters(waiters));
        }
        return rows;
    }

    private static String clientsName(int clients, long holdMicros) {
        return "commands-" + clients + "x1-" + holdMicros / 1000 + "ms";
    }

    private static Work clients(int clients, long holdMicros) {
        List<Bar> bars = new ArrayList<>();
        bars.add(Bar.atMost(HOLDFAST, COMMANDS, MAX_COMMANDS));
        if (clients > CLIENTS[0]) {
            bars.add(Bar.atMost(HOLDFAST, COMMANDS, FLAT)
                    .timesRow(clientsName(CLIENTS[0], holdMicros), "with " + CLIENTS[0] + " clients"));
        }
        boolean empty = holdMicros == 0;
        List<Peer> others = empty ? List.of(FLOOR, REDISSON, SPRING) : List.of();
        List<Peer> peers = new ArrayList<>(empty ? List.of(HOLDFAST, HOLDFAST_FAIR) : List.of(HOLDFAST));
        peers.addAll(others);
        String work = empty ? "empty critical section" : "held for 10 ms";
        Row row = new Row(
                clientsName(clients, holdMicros), clients + " clients × 1 thread, " + work, List.copyOf(peers), bars);
        return new Work(row, others, false, count(Load.clients(clients, 1, holdMicros)));
    }

    private static Work waiters(int waiters) {
        Row row = new Row(
                "commands-1x" + waiters,
                "1 client, " + waiters + (waiters == 1 ? " waiter" : " waiters") + ", empty critical section",
                List.of(HOLDFAST, HOLDFAST_FAIR),
                List.of());
        return new Work(row, List.of(), false, count(Load.clients(1, waiters + 1, 0)));
    }

    private static Work.Measure count(Load load) {
        return (peer, site) -> Runs.countCommands(
                site.counters(), peer, site.redisPort(), load, site.variant().counted());
    }

    /** Takes minutes but hardly any CPU time, so it runs alongside the others, on its own Redis. */
    static Work shortHolds() {
        Row row = new Row(
                "short-holds",
                "one lock, held for 9 ms and free for 1 ms, over and over",
                List.of(HOLDFAST),
                List.of(Bar.atMost(HOLDFAST, RENEWAL_RATE, 1)));
        return new Work(
                row,
                List.of(),
                false,
                (peer, site) -> Runs.countRenewals(
                        peer,
                        site.redisPort(),
                        new Load(1, 1, 1, 9_000, 1_000),
                        new Window(
                                site.variant().counted().warmUpMillis(),
                                site.variant().shortHoldsMillis())));
    }
}
