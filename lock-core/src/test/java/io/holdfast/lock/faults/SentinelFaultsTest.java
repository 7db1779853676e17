package io.holdfast.lock.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.history.Violation.Promise;
import io.holdfast.lock.testing.RedisSentinelProcesses;
import io.holdfast.lock.testing.ServerNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A master with two replicas, and three sentinels. */
@Tag("faults")
class SentinelFaultsTest {

    private static final int REPLICAS = 2;

    /** The next master may be any replica, so all of them have to know a lock that must not be lost. */
    @Test
    void masters_that_die_lose_no_lock_that_all_replicas_have() throws Exception {
        List<String> keys = Keys.of(Use.values());
        try (RedisSentinelProcesses redis = RedisSentinelProcesses.startSteppable();
                Network network = new Network(ports(nodes(redis)));
                FaultRun run = new FaultRun("sentinel")) {
            LockPlace place = LockPlace.of(redis.address()).behind(network).withLease(Outages.LONGER_THAN_FAILOVER);
            Crew without = run.crew("off", place.in("off"), keys, 2);
            Crew with = run.crew("on", place.in("on").acknowledgedBy(REPLICAS), keys, 2);
            List<Fault> faults = new ArrayList<>(List.of(
                    new Fault("master killed", () -> kill(redis)),
                    new Fault("master cut off from its replicas and killed", () -> killWithoutReplicas(redis)),
                    new Fault("master stopped until replaced", () -> stopUntilReplaced(redis)),
                    new Fault("master killed while connections to sentinels are dead without a sign", () -> {
                        network.lose(ports(redis.sentinels()));
                        kill(redis);
                    }),
                    new Fault("process copied", with::copyOne)));
            faults.addAll(Outages.ofNetwork("servers and sentinels", network, network::servers, Outages.TRICKLE));
            run.inflict(Outages.withSteps(
                    faults,
                    new Fault(
                            "clocks set forward by 1 h",
                            Outages.untilLeasesAreOver(place.lease()),
                            () -> step(redis, Outages.CLOCK_STEP)),
                    new Fault("clocks set back by 1 h", () -> step(redis, Outages.CLOCK_STEP.negated()))));
            Report lossy = run.report("sentinel, replica-acks off", without);
            Report report = run.report("sentinel, replica-acks 2", with);
            assertThat(report.violations()).isEmpty();
            assertThat(report.unexpectedFailures()).isEmpty();
            assertThat(lossy.violations(Promise.FINALITY)).isZero();
            assertThat(lossy.unexpectedFailures()).isEmpty();
        }
    }

    private static List<ServerNode> nodes(RedisSentinelProcesses redis) {
        return Stream.concat(redis.servers().stream(), redis.sentinels().stream())
                .toList();
    }

    private static List<Integer> ports(List<ServerNode> nodes) {
        return nodes.stream().map(ServerNode::port).toList();
    }

    private static void step(RedisSentinelProcesses redis, Duration by) {
        redis.servers().forEach(server -> server.step(by));
    }

    private static void kill(RedisSentinelProcesses redis) {
        ServerNode master = redis.master();
        master.kill();
        replace(redis, master);
    }

    private static void killWithoutReplicas(RedisSentinelProcesses redis) throws InterruptedException {
        ServerNode master = redis.master();
        List<ServerNode> replicas =
                redis.servers().stream().filter(server -> server != master).toList();
        Outages.killWithoutReplicas(master, replicas);
        replace(redis, master);
    }

    private static void replace(RedisSentinelProcesses redis, ServerNode killed) {
        redis.awaitOtherMaster(killed);
        killed.startAgain();
        redis.awaitReady();
    }

    private static void stopUntilReplaced(RedisSentinelProcesses redis) {
        ServerNode master = redis.master();
        master.pause();
        redis.awaitOtherMaster(master);
        master.resume();
        redis.awaitReady();
    }
}
