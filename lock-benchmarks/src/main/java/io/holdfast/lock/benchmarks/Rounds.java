package io.holdfast.lock.benchmarks;

import io.holdfast.lock.benchmarks.contention.Cluster;
import io.holdfast.lock.benchmarks.peer.Peer;
import io.holdfast.lock.benchmarks.report.Machine;
import io.holdfast.lock.benchmarks.report.Metric;
import io.holdfast.lock.benchmarks.report.Results;
import io.holdfast.lock.testing.RedisServerProcess;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import redis.clients.jedis.Jedis;

/**
 * Measures every peer in every row, and then all of it again, so that a change in the machine's speed affects all of
 * them. In each round a different peer is first.
 */
final class Rounds {

    private final Variant variant;
    private final Results results;

    Rounds(Variant variant, Results results) {
        this.variant = variant;
        this.results = results;
    }

    Machine run(List<Work> timed, List<Work> counted, List<Work> beside) {
        try (RedisServerProcess server = RedisServerProcess.start();
                Cluster counters = new Cluster(1)) {
            Work.Site site = new Work.Site(server.port(), variant, counters);
            for (int round = 1; round <= variant.rounds(); round++) {
                round(round, timed, site);
            }
            CompletableFuture<Void> alongside = CompletableFuture.runAsync(() -> beside(beside));
            for (int round = 1; round <= variant.rounds(); round++) {
                round(round, counted, site);
            }
            alongside.join();
            return Machine.describe(redisVersion(server.port()));
        }
    }

    private void round(int round, List<Work> works, Work.Site site) {
        for (Work work : works) {
            for (Peer peer : work.peers(variant, round)) {
                measure(round, work, peer, site);
            }
        }
    }

    private void beside(List<Work> works) {
        if (works.isEmpty()) {
            return;
        }
        try (RedisServerProcess server = RedisServerProcess.start();
                Cluster counters = new Cluster(1)) {
            round(1, works, new Work.Site(server.port(), variant, counters));
        }
    }

    private void measure(int round, Work work, Peer peer, Work.Site site) {
        try (Jedis redis = new Jedis("127.0.0.1", site.redisPort())) {
            redis.flushAll();
        }
        Map<Metric, Double> figures = work.measure().run(peer, site);
        results.add(work.row().name(), peer, figures);
        StringBuilder line = new StringBuilder();
        new TreeMap<>(figures)
                .forEach((metric, value) ->
                        line.append("  ").append(metric.title()).append(": ").append(metric.text(value)));
        System.err.println("round " + round + "  " + work.row().name() + "  " + peer.title() + line);
    }

    private static String redisVersion(int port) {
        try (Jedis redis = new Jedis("127.0.0.1", port)) {
            return redis.info("server")
                    .lines()
                    .filter(line -> line.startsWith("redis_version:"))
                    .map(line -> line.substring("redis_version:".length()).strip())
                    .findFirst()
                    .orElse("unknown");
        }
    }
}
