package io.holdfast.lock.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.RedisAddress;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Processes that stand for the same roles while servers, network and processes fail: never do two of them say at the same instant
 * that they lead, tokens of terms increase, and every role has a leader again.
 */
@Tag("faults")
@Execution(ExecutionMode.CONCURRENT)
class LeadershipFaultsTest {

    private static final int PROCESSES = 3;
    private static final int ROLES = 24;

    /** The masters vote once in twice that time for a replica, and one whose failover waits for votes accepts no writes. */
    private static final Duration NODE_TIMEOUT = Duration.ofSeconds(5);

    private final Random random = new Random();
    private final List<String> roles = Keys.of(ROLES, Use.ALONE);

    private static void assertKept(Report report) {
        assertThat(report.violations()).isEmpty();
        assertThat(report.unexpectedFailures()).isEmpty();
        assertThat(report.history().grants()).isNotEmpty();
    }

    private static List<Fault> withProcesses(Crew crew, Fault... faults) {
        return Stream.concat(
                        Stream.of(faults),
                        Stream.of(
                                new Fault("process killed", crew::killOne),
                                new Fault(
                                        "process stopped for longer than the lease",
                                        () -> crew.stopOne(Outages.LONGER_THAN_LEASE)),
                                new Fault(
                                        "process stopped for less than the lease",
                                        () -> crew.stopOne(Outages.SHORTER_THAN_LEASE))))
                .toList();
    }

    @Test
    void there_is_one_leader_at_a_time_on_one_server() throws Exception {
        try (RedisServerProcess server = Outages.startServer();
                FaultProxy network = new FaultProxy(server.port());
                FaultRun run = new FaultRun("leaders on one server")) {
            Crew crew = run.leaders(LockPlace.of(RedisAddress.standalone(network.port())), roles, PROCESSES);
            run.inflict(withProcesses(
                    crew,
                    new Fault("connections cut", network::cut),
                    new Fault("connections dead without a sign", network::lose),
                    new Fault("server stopped for longer than the lease", () -> stop(List.of(server)))));
            assertKept(run.report("leaders, one server", crew));
        }
    }

    @Test
    void there_is_one_leader_at_a_time_on_a_cluster() throws Exception {
        try (RedisClusterProcesses cluster = RedisClusterProcesses.start(3, 1, NODE_TIMEOUT);
                FaultRun run = new FaultRun("leaders on a cluster")) {
            Crew crew = run.leaders(LockPlace.of(cluster.address()), roles, PROCESSES);
            run.inflict(withProcesses(
                    crew, new Fault("master replaced on demand", () -> cluster.failOver(slotOf(anyRole())))));
            assertKept(run.report("leaders, cluster", crew));
        }
    }

    @Test
    void there_is_one_leader_at_a_time_on_a_quorum() throws Exception {
        List<RedisServerProcess> servers = new ArrayList<>();
        try (FaultRun run = new FaultRun("leaders on a quorum")) {
            Stream.generate(Outages::startServer).limit(3).forEach(servers::add);
            List<RedisAddress> addresses = servers.stream()
                    .map(server -> RedisAddress.standalone(server.port()))
                    .toList();
            Crew crew = run.leaders(LockPlace.of(addresses), roles, PROCESSES);
            run.inflict(withProcesses(
                    crew,
                    new Fault("minority stopped for longer than the lease", () -> stop(servers.subList(0, 1))),
                    new Fault("majority stopped for longer than the lease", () -> stop(servers.subList(1, 3)))));
            assertKept(run.report("leaders, quorum of 3", crew));
        } finally {
            servers.forEach(RedisServerProcess::close);
        }
    }

    private String anyRole() {
        return roles.get(random.nextInt(roles.size()));
    }

    private static int slotOf(String role) {
        return RedisClusterProcesses.slot(role);
    }

    private static void stop(List<RedisServerProcess> servers) throws InterruptedException {
        servers.forEach(RedisServerProcess::pause);
        Outages.sleep(Outages.LONGER_THAN_LEASE);
        servers.forEach(RedisServerProcess::resume);
    }
}
