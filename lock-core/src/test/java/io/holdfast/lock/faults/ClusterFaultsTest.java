package io.holdfast.lock.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.history.Violation.Promise;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.ServerNode;
import io.holdfast.lock.testing.SlotMigration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Three masters with a replica each. */
@Tag("faults")
@Execution(ExecutionMode.CONCURRENT)
class ClusterFaultsTest {

    private static final Duration NODE_TIMEOUT = Duration.ofSeconds(2);

    /** Longer than the leases; the cluster measures its own time-out by these clocks. */
    private static final Duration CLOCK_STEP = Duration.ofSeconds(10);

    private final Random random = new Random();
    private final List<String> keys = Keys.of(Use.values());

    @Test
    void promises_are_kept_as_long_as_no_master_is_lost() throws Exception {
        try (RedisClusterProcesses cluster = RedisClusterProcesses.startSteppable(3, 1, Duration.ofMinutes(1));
                Network network = new Network(cluster.address().ports());
                FaultRun run = new FaultRun("cluster")) {
            LockPlace place = LockPlace.of(cluster.address()).behind(network);
            Crew crew = run.crew("cluster", place, keys, 3);
            List<Fault> faults = new ArrayList<>(List.of(
                    new Fault("slot moved", () -> move(cluster, anySlot())),
                    new Fault("master replaced on demand", () -> cluster.failOver(anySlot())),
                    new Fault(
                            "master stopped for less than the lease", () -> stop(cluster, Outages.SHORTER_THAN_LEASE)),
                    new Fault(
                            "master stopped for longer than the lease", () -> stop(cluster, Outages.LONGER_THAN_LEASE)),
                    new Fault("replica killed", () -> killReplica(cluster)),
                    new Fault("process killed", crew::killOne),
                    new Fault("process copied", crew::copyOne),
                    new Fault(
                            "process stopped for longer than the lease",
                            () -> crew.stopOne(Outages.LONGER_THAN_LEASE))));
            faults.addAll(Outages.ofNetwork("all nodes", network, network::servers, Outages.TRICKLE));
            run.inflict(Outages.withSteps(
                    faults,
                    new Fault(
                            "clocks set forward by 10 s",
                            Outages.untilLeasesAreOver(place.lease()),
                            () -> step(cluster, CLOCK_STEP)),
                    new Fault("clocks set back by 10 s", () -> step(cluster, CLOCK_STEP.negated()))));
            Report report = run.report("cluster", crew);
            assertThat(report.violations()).isEmpty();
            assertThat(report.unexpectedFailures()).isEmpty();
        }
    }

    @Test
    void masters_that_die_lose_no_lock_that_their_replicas_have() throws Exception {
        try (RedisClusterProcesses cluster = RedisClusterProcesses.start(3, 1, NODE_TIMEOUT);
                FaultRun run = new FaultRun("cluster failover")) {
            LockPlace place = LockPlace.of(cluster.address()).withLease(Outages.LONGER_THAN_FAILOVER);
            Crew without = run.crew("off", place.in("off"), keys, 2);
            Crew with = run.crew("on", place.in("on").acknowledgedBy(1), keys, 2);
            run.inflict(List.of(
                    new Fault("master killed", () -> kill(cluster)),
                    new Fault("master cut off from its replica and killed", () -> killWithoutReplica(cluster)),
                    new Fault("master stopped until replaced", () -> stopUntilReplaced(cluster))));
            Report lossy = run.report("cluster, replica-acks off", without);
            Report report = run.report("cluster, replica-acks 1", with);
            assertThat(report.violations()).isEmpty();
            assertThat(report.unexpectedFailures()).isEmpty();
            assertThat(lossy.violations(Promise.FINALITY)).isZero();
            assertThat(lossy.unexpectedFailures()).isEmpty();
        }
    }

    private int anySlot() {
        return RedisClusterProcesses.slot(anyKey());
    }

    private String anyKey() {
        return keys.get(random.nextInt(keys.size()));
    }

    private static void move(RedisClusterProcesses cluster, int slot) throws InterruptedException {
        SlotMigration migration = cluster.migration(slot).begin();
        Thread.sleep(1000);
        migration.moveKeys();
        Thread.sleep(1000);
        migration.finish();
    }

    private static void step(RedisClusterProcesses cluster, Duration by) {
        cluster.nodes().forEach(node -> node.step(by));
    }

    private void stop(RedisClusterProcesses cluster, Duration time) throws InterruptedException {
        ServerNode master = cluster.masterOf(anySlot());
        master.pause();
        Outages.sleep(time);
        master.resume();
    }

    private void killReplica(RedisClusterProcesses cluster) throws InterruptedException {
        ServerNode replica = cluster.replicaOf(cluster.masterOf(anySlot()));
        replica.kill();
        Thread.sleep(1000);
        replica.startAgain();
        cluster.awaitReady();
    }

    private void kill(RedisClusterProcesses cluster) {
        int slot = anySlot();
        ServerNode master = cluster.masterOf(slot);
        master.kill();
        replace(cluster, slot, master);
    }

    private void killWithoutReplica(RedisClusterProcesses cluster) throws InterruptedException {
        int slot = anySlot();
        ServerNode master = cluster.masterOf(slot);
        Outages.killWithoutReplicas(master, List.of(cluster.replicaOf(master)));
        replace(cluster, slot, master);
    }

    private static void replace(RedisClusterProcesses cluster, int slot, ServerNode killed) {
        cluster.awaitOtherMaster(slot, killed);
        killed.startAgain();
        cluster.awaitReady();
    }

    private void stopUntilReplaced(RedisClusterProcesses cluster) {
        int slot = anySlot();
        ServerNode master = cluster.masterOf(slot);
        master.pause();
        cluster.awaitOtherMaster(slot, master);
        master.resume();
        cluster.awaitReady();
    }
}
