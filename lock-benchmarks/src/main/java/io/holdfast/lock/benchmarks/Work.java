package io.holdfast.lock.benchmarks;

import io.holdfast.lock.benchmarks.contention.Cluster;
import io.holdfast.lock.benchmarks.peer.Peer;
import io.holdfast.lock.benchmarks.report.Metric;
import io.holdfast.lock.benchmarks.report.Row;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * A row, and how it is measured.
 *
 * @param row what the tables show
 * @param optional peers of the row that only the full variant measures
 * @param optionalInEveryRound whether it measures them in every round, or only in the first
 * @param measure performs one run
 */
record Work(Row row, List<Peer> optional, boolean optionalInEveryRound, Measure measure) {

    /** One run of one peer. */
    @FunctionalInterface
    interface Measure {

        Map<Metric, Double> run(Peer peer, Site site);
    }

    /**
     * Where a run takes place.
     *
     * @param redisPort the port of an empty Redis
     * @param variant how long it may take
     * @param counters a process that several runs may share, where time does not matter
     */
    record Site(int redisPort, Variant variant, Cluster counters) {}

    /**
     * {@return the peers to measure, in this order; to count the commands of the optional ones, one round is enough}
     *
     * @param variant decides whether optional peers are included
     * @param round the number of the round, from 1; each round begins with a different peer
     */
    List<Peer> peers(Variant variant, int round) {
        boolean everyPeer = variant.everyPeer() && (optionalInEveryRound || round == 1);
        List<Peer> peers = new ArrayList<>(row.peers());
        peers.removeIf(peer -> !everyPeer && optional.contains(peer));
        Collections.rotate(peers, 1 - round);
        return peers;
    }
}
