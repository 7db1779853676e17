package io.holdfast.lock.benchmarks;

import static io.holdfast.lock.benchmarks.peer.Peer.FLOOR;
import static io.holdfast.lock.benchmarks.peer.Peer.FLOOR_SCRIPTS;
import static io.holdfast.lock.benchmarks.peer.Peer.HOLDFAST;
import static io.holdfast.lock.benchmarks.peer.Peer.HOLDFAST_CLUSTER;
import static io.holdfast.lock.benchmarks.peer.Peer.HOLDFAST_CLUSTER_MULTI;
import static io.holdfast.lock.benchmarks.peer.Peer.HOLDFAST_CLUSTER_ONE_BY_ONE;
import static io.holdfast.lock.benchmarks.peer.Peer.HOLDFAST_FAIR;
import static io.holdfast.lock.benchmarks.peer.Peer.HOLDFAST_LETTUCE;
import static io.holdfast.lock.benchmarks.peer.Peer.HOLDFAST_MULTI;
import static io.holdfast.lock.benchmarks.peer.Peer.HOLDFAST_ON_JEDIS;
import static io.holdfast.lock.benchmarks.peer.Peer.HOLDFAST_ON_LETTUCE;
import static io.holdfast.lock.benchmarks.peer.Peer.HOLDFAST_QUORUM;
import static io.holdfast.lock.benchmarks.peer.Peer.LOCK4J;
import static io.holdfast.lock.benchmarks.peer.Peer.REDISSON;
import static io.holdfast.lock.benchmarks.peer.Peer.REDISSON_FAIR;
import static io.holdfast.lock.benchmarks.peer.Peer.REDISSON_FENCED;
import static io.holdfast.lock.benchmarks.peer.Peer.REDISSON_MULTI;
import static io.holdfast.lock.benchmarks.peer.Peer.SPRING;
import static io.holdfast.lock.benchmarks.peer.Peer.TEMPLATE_ON_JEDIS;
import static io.holdfast.lock.benchmarks.peer.Peer.TEMPLATE_ON_LETTUCE;
import static io.holdfast.lock.benchmarks.report.Metric.COMMAND_RATE;
import static io.holdfast.lock.benchmarks.report.Metric.CPU;
import static io.holdfast.lock.benchmarks.report.Metric.HAND_OVER;
import static io.holdfast.lock.benchmarks.report.Metric.JAIN;
import static io.holdfast.lock.benchmarks.report.Metric.LOST;
import static io.holdfast.lock.benchmarks.report.Metric.PAIRS;
import static io.holdfast.lock.benchmarks.report.Metric.PAIR_P99;
import static io.holdfast.lock.benchmarks.report.Metric.SERVER_TIME;
import static io.holdfast.lock.benchmarks.report.Metric.THREADS_ADDED;
import static io.holdfast.lock.benchmarks.report.Metric.WAIT_P99;

import io.holdfast.lock.benchmarks.contention.Load;
import io.holdfast.lock.benchmarks.contention.Runs;
import io.holdfast.lock.benchmarks.contention.Window;
import io.holdfast.lock.benchmarks.peer.Peer;
import io.holdfast.lock.benchmarks.peer.Servers;
import io.holdfast.lock.benchmarks.report.Bar;
import io.holdfast.lock.benchmarks.report.Metric;
import io.holdfast.lock.benchmarks.report.Row;
import io.holdfast.lock.benchmarks.uncontended.JmhRun;
import io.holdfast.lock.benchmarks.uncontended.Placement;
import io.holdfast.lock.benchmarks.uncontended.ServerLoad;
import io.holdfast.lock.benchmarks.uncontended.Topology;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Rows that measure time. */
final class TimedRows {

    private static final int LOCKS = 10_000;
    private static final long SHORT_LEASE_MILLIS = 6_000;
    private static final long ONE_MILLI = 1_000;
    private static final int MANY = 64;

    /** Even in applications with Lettuce, locks use Jedis. */
    private static final Bar LETTUCE =
            Bar.atLeast(HOLDFAST_LETTUCE, PAIRS, 0.95).times(HOLDFAST);

    private TimedRows() {}

    static List<Work> all() {
        return List.of(
                pair(),
                pairOnOneCore(),
                pairs(),
                pairsOfMany(),
                applications(1),
                applications(8),
                applications(MANY),
                topologies(),
                reentrant(),
                multiLock(),
                multiLockOnCluster(),
                sharedClient(),
                processes(),
                sharedClientHolding(),
                clientsHolding(),
                fair(),
                fairOfOneClient(),
                handOver(),
                manyLocks());
    }

    private static Work pair() {
        Row row = new Row(
                "pair-1",
                "uncontended lock and unlock, 1 thread, not on Redis' core",
                List.of(HOLDFAST, HOLDFAST_LETTUCE, FLOOR, FLOOR_SCRIPTS, REDISSON, REDISSON_FENCED, SPRING),
                List.of(
                        Bar.atLeast(HOLDFAST, PAIRS, 0.95).times(FLOOR),
                        Bar.atLeast(HOLDFAST, PAIRS, 0.95).times(FLOOR_SCRIPTS),
                        LETTUCE,
                        Bar.atLeast(HOLDFAST, PAIRS, 1.3).times(REDISSON)));
        return new Work(row, List.of(REDISSON_FENCED), true, pairs(1, Placement.APART));
    }

    private static Work pairOnOneCore() {
        Row row = new Row(
                "pair-1-core",
                "uncontended lock and unlock, 1 thread, on Redis' core",
                List.of(HOLDFAST, FLOOR, FLOOR_SCRIPTS, REDISSON, SPRING),
                List.of(Bar.atLeast(HOLDFAST, PAIRS, 1).times(SPRING)));
        return new Work(row, List.of(), true, pairs(1, Placement.TOGETHER));
    }

    private static Work pairs() {
        Row row = new Row(
                "pair-8",
                "uncontended lock and unlock, 8 threads, each with its own key",
                List.of(HOLDFAST, FLOOR, FLOOR_SCRIPTS, REDISSON, SPRING, LOCK4J),
                List.of(
                        Bar.atLeast(HOLDFAST, PAIRS, 0.85).times(FLOOR),
                        Bar.atLeast(HOLDFAST, PAIRS, 0.9).times(FLOOR_SCRIPTS),
                        Bar.atMost(HOLDFAST, SERVER_TIME, 1.35).times(FLOOR),
                        Bar.atLeast(HOLDFAST, PAIRS, 2.5).times(REDISSON),
                        Bar.atLeast(HOLDFAST, PAIRS, 1.2).times(SPRING)));
        return new Work(row, List.of(LOCK4J), true, pairs(8, Placement.ANYWHERE));
    }

    private static Work pairsOfMany() {
        Row row = new Row(
                "pair-64",
                "uncontended lock and unlock, 64 threads, each with its own key",
                List.of(HOLDFAST, FLOOR, FLOOR_SCRIPTS, REDISSON, SPRING),
                List.of(
                        Bar.atLeast(HOLDFAST, PAIRS, 1.1).times(FLOOR),
                        Bar.atLeast(HOLDFAST, PAIRS, 0.85).times(FLOOR_SCRIPTS),
                        Bar.atMost(HOLDFAST, PAIR_P99, 1.5).times(FLOOR_SCRIPTS),
                        Bar.atMost(HOLDFAST, SERVER_TIME, 0.75).times(FLOOR),
                        Bar.atLeast(HOLDFAST, PAIRS, 4).times(REDISSON),
                        Bar.atLeast(HOLDFAST, PAIRS, 2).times(SPRING)));
        return new Work(row, List.of(), true, pairs(MANY, Placement.ANYWHERE));
    }

    private static Work applications(int threads) {
        Row row = new Row(
                "application-" + threads,
                "uncontended lock and unlock on connections of the application, %d threads, each with its own key"
                        .formatted(threads),
                List.of(HOLDFAST_ON_JEDIS, TEMPLATE_ON_JEDIS, HOLDFAST_ON_LETTUCE, TEMPLATE_ON_LETTUCE),
                List.of(
                        Bar.atLeast(HOLDFAST_ON_JEDIS, PAIRS, 0.9).times(TEMPLATE_ON_JEDIS),
                        Bar.atLeast(HOLDFAST_ON_LETTUCE, PAIRS, 0.9).times(TEMPLATE_ON_LETTUCE)));
        return new Work(row, List.of(), true, pairs(threads, threads == 1 ? Placement.APART : Placement.ANYWHERE));
    }

    private static Work topologies() {
        Row row = new Row(
                "topologies",
                "uncontended lock and unlock, 1 thread, one server, a cluster, a quorum, all servers on one core",
                List.of(HOLDFAST, HOLDFAST_CLUSTER, HOLDFAST_QUORUM),
                List.of(
                        Bar.atLeast(HOLDFAST_CLUSTER, PAIRS, 1 / 1.15).times(HOLDFAST),
                        Bar.atLeast(HOLDFAST_QUORUM, PAIRS, 1.0 / 4).times(HOLDFAST)));
        return new Work(row, List.of(), true, onTopologies());
    }

    private static Work.Measure onTopologies() {
        JmhRun run = new JmhRun("pair", 1, Placement.APART);
        return (peer, site) -> {
            try (Topology topology = Topology.of(peer, site.redisPort())) {
                return measured(run, peer, topology.servers(), site.variant());
            }
        };
    }

    private static Work reentrant() {
        Row row = new Row(
                "reentrant",
                "lock and unlock by a thread that holds it already",
                List.of(HOLDFAST, REDISSON),
                List.of(Bar.atLeast(HOLDFAST, PAIRS, 1000).times(REDISSON)));
        return new Work(row, List.of(), true, jmh("reentrantPair", 1, Placement.APART));
    }

    private static Work multiLock() {
        Row row = new Row(
                "multi-100",
                "100 free keys locked and unlocked together, 1 thread",
                List.of(HOLDFAST_MULTI, HOLDFAST, REDISSON_MULTI),
                List.of(
                        Bar.atLeast(HOLDFAST_MULTI, PAIRS, 1.0 / 5).times(HOLDFAST),
                        Bar.atLeast(HOLDFAST_MULTI, PAIRS, 1).times(REDISSON_MULTI)));
        return new Work(row, List.of(REDISSON_MULTI), true, jmh("pair", 1, Placement.ANYWHERE));
    }

    private static Work multiLockOnCluster() {
        Row row = new Row(
                "multi-100-cluster",
                "100 free keys on three masters locked and unlocked, 1 thread, all servers on one core",
                List.of(HOLDFAST_CLUSTER_MULTI, HOLDFAST_CLUSTER_ONE_BY_ONE),
                List.of(Bar.atLeast(HOLDFAST_CLUSTER_MULTI, PAIRS, 2).times(HOLDFAST_CLUSTER_ONE_BY_ONE)));
        return new Work(row, List.of(), true, onTopologies());
    }

    private static Work sharedClient() {
        Row row = new Row(
                "key-1x64",
                "one key, 1 client × 64 threads, empty critical section",
                List.of(HOLDFAST, FLOOR, REDISSON, SPRING),
                List.of(
                        Bar.atLeast(HOLDFAST, PAIRS, 10).times(REDISSON),
                        Bar.atLeast(HOLDFAST, PAIRS, 8).times(SPRING)));
        return new Work(row, List.of(FLOOR), true, contend(Load.clients(1, MANY, 0)));
    }

    private static Work processes() {
        Row row = new Row(
                "key-4jvm",
                "one key, 4 JVMs × 4 threads, empty critical section",
                List.of(HOLDFAST, HOLDFAST_LETTUCE, FLOOR, REDISSON, SPRING, LOCK4J),
                List.of(
                        LETTUCE,
                        Bar.atLeast(HOLDFAST, PAIRS, 4).times(FLOOR),
                        Bar.atLeast(HOLDFAST, PAIRS, 25).times(REDISSON),
                        Bar.atLeast(HOLDFAST, JAIN, 0.99)));
        return new Work(row, List.of(SPRING, LOCK4J), true, contend(Load.processes(4, 4)));
    }

    private static Work sharedClientHolding() {
        Row row = new Row(
                "key-1x64-1ms",
                "one key, 1 client × 64 threads, held for 1 ms (limit: 1,000 pairs/s)",
                List.of(HOLDFAST, REDISSON, SPRING),
                List.of(
                        Bar.atLeast(HOLDFAST, PAIRS, 1.1).times(REDISSON),
                        Bar.atMost(HOLDFAST, WAIT_P99, 1.0 / 8).times(REDISSON),
                        Bar.atLeast(HOLDFAST, JAIN, 0.98)));
        return new Work(row, List.of(SPRING), true, contend(Load.clients(1, MANY, ONE_MILLI)));
    }

    private static Work clientsHolding() {
        Row row = new Row(
                "key-4x4-1ms",
                "one key, 4 clients × 4 threads, held for 1 ms (limit: 1,000 pairs/s)",
                List.of(HOLDFAST, FLOOR, REDISSON, SPRING),
                List.of(
                        Bar.atLeast(HOLDFAST, PAIRS, 1.3).times(REDISSON),
                        Bar.atMost(HOLDFAST, WAIT_P99, 1.0 / 6).times(REDISSON),
                        Bar.atLeast(HOLDFAST, JAIN, 0.98)));
        return new Work(row, List.of(FLOOR, SPRING), true, contend(Load.clients(4, 4, ONE_MILLI)));
    }

    private static Work fair() {
        return fair("fair-4x4", "4 clients × 4 threads", 2, Load.clients(4, 4, 0));
    }

    private static Work fairOfOneClient() {
        return fair("fair-1x64", "1 client × 64 threads", 5, Load.clients(1, MANY, 0));
    }

    private static Work fair(String name, String who, double timesRedisson, Load load) {
        Row row = new Row(
                name,
                "one fair lock, " + who + ", empty critical section",
                List.of(HOLDFAST_FAIR, REDISSON_FAIR),
                List.of(
                        Bar.atLeast(HOLDFAST_FAIR, PAIRS, timesRedisson).times(REDISSON_FAIR),
                        Bar.atLeast(HOLDFAST_FAIR, JAIN, 0.99)));
        return new Work(row, List.of(), true, contend(load));
    }

    private static Work handOver() {
        Row row = new Row(
                "hand-over",
                "hand-over from one client to another that waits",
                List.of(HOLDFAST, FLOOR, REDISSON, SPRING),
                List.of(
                        Bar.atMost(HOLDFAST, HAND_OVER, 0.6).times(REDISSON),
                        Bar.atMost(HOLDFAST, HAND_OVER, 0.9).times(SPRING)));
        return new Work(
                row,
                List.of(FLOOR),
                true,
                (peer, site) ->
                        Runs.handOver(peer, site.redisPort(), site.variant().handOvers()));
    }

    private static Work manyLocks() {
        Row row = new Row(
                "many-locks",
                "10,000 locks held and renewed, lease 6 s",
                List.of(HOLDFAST, REDISSON),
                List.of(
                        Bar.atMost(HOLDFAST, COMMAND_RATE, 10),
                        Bar.atMost(HOLDFAST, CPU, 0.5).times(REDISSON),
                        Bar.atMost(HOLDFAST, LOST, 0),
                        Bar.atMost(HOLDFAST, THREADS_ADDED, 3)));
        return new Work(
                row,
                List.of(),
                true,
                (peer, site) -> Runs.holdMany(
                        peer,
                        site.redisPort(),
                        LOCKS,
                        SHORT_LEASE_MILLIS,
                        site.variant().holdMillis()));
    }

    private static Work.Measure jmh(String benchmark, int threads, Placement placement) {
        JmhRun run = new JmhRun(benchmark, threads, placement);
        return (peer, site) -> measured(run, peer, Servers.of(site.redisPort()), site.variant());
    }

    private static Work.Measure pairs(int threads, Placement placement) {
        Work.Measure run = jmh("pair", threads, placement);
        return (peer, site) -> {
            ServerLoad before = ServerLoad.of(site.redisPort());
            Map<Metric, Double> figures = new EnumMap<>(run.run(peer, site));
            int scripts = peer == FLOOR ? 1 : 2; // it acquires a lock with SET
            figures.put(SERVER_TIME, ServerLoad.of(site.redisPort()).microsForPairSince(before, scripts));
            return figures;
        };
    }

    private static Map<Metric, Double> measured(JmhRun run, Peer peer, Servers servers, Variant variant) {
        Window window = variant.jmh();
        return run.figures(peer, servers, window.warmUpMillis(), window.millis());
    }

    private static Work.Measure contend(Load load) {
        return (Peer peer, Work.Site site) ->
                Runs.contend(peer, site.redisPort(), load, site.variant().contended());
    }
}
