package io.holdfast.lock.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.RedisAddress;
import io.holdfast.lock.testing.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that know nothing of each other. */
@Tag("faults")
@Execution(ExecutionMode.CONCURRENT)
class QuorumFaultsTest {

    /** Between the bytes of a reply: a call to one server may take 300 ms. */
    private static final Duration TRICKLE = Duration.ofMillis(240);

    private static final Duration SLOW = Duration.ofMillis(100);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration QUICK = Duration.ofMillis(10);
    private static final int SLOW_TIMES = 30;

    private final List<RedisServerProcess> servers = new ArrayList<>();

    @AfterEach
    void end() {
        servers.forEach(RedisServerProcess::close);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void promises_are_kept_whatever_happens_to_a_minority(int count) throws Exception {
        Stream.generate(Outages::startServer).limit(count).forEach(servers::add);
        List<Integer> ports = ports(servers);
        List<RedisAddress> addresses =
                ports.stream().map(RedisAddress::standalone).toList();
        String name = "quorum of " + count;
        try (Network network = new Network(ports);
                FaultRun run = new FaultRun(name)) {
            LockPlace place = LockPlace.of(addresses).behind(network);
            Crew crew = run.crew("quorum", place, Keys.of(Use.ALONE, Use.SHARED, Use.PERMIT), 3);
            List<Fault> faults = new ArrayList<>(List.of(
                    new Fault("minority killed and restarted empty", this::restartEmpty),
                    new Fault("minority killed for longer than the lease", this::killForLong),
                    new Fault("minority stopped for longer than the lease", () -> stop(minority())),
                    new Fault("minority slow", this::slowDown),
                    new Fault("majority stopped for longer than the lease", () -> stop(majority())),
                    new Fault("process killed", crew::killOne),
                    new Fault("process copied", crew::copyOne),
                    new Fault(
                            "process stopped for longer than the lease",
                            () -> crew.stopOne(Outages.LONGER_THAN_LEASE))));
            faults.addAll(Outages.ofNetwork("a minority", network, () -> ports(minority()), TRICKLE));
            faults.addAll(Outages.ofNetwork("all servers", network, () -> ports, TRICKLE));
            Duration early = Outages.LONGER_THAN_LEASE.plus(Outages.untilLeasesAreOver(place.lease()));
            run.inflict(Outages.withSteps(
                    faults,
                    new Fault("minority's clocks ahead by 1 s for longer than the lease", early, () -> setOff(SECOND)),
                    new Fault(
                            "minority's clocks behind by 1 s for longer than the lease",
                            early,
                            () -> setOff(SECOND.negated())),
                    new Fault(
                            "minority's clocks ahead by 1 h for longer than the lease",
                            early,
                            () -> setOff(Outages.CLOCK_STEP)),
                    new Fault(
                            "minority's clocks behind by 1 h for longer than the lease",
                            early,
                            () -> setOff(Outages.CLOCK_STEP.negated()))));
            Report report = run.report(name, crew);
            assertThat(report.violations()).isEmpty();
            assertThat(report.unexpectedFailures()).isEmpty();
        }
    }

    private static List<Integer> ports(List<RedisServerProcess> some) {
        return some.stream().map(RedisServerProcess::port).toList();
    }

    private List<RedisServerProcess> minority() {
        List<RedisServerProcess> shuffled = new ArrayList<>(servers);
        Collections.shuffle(shuffled);
        return shuffled.subList(0, servers.size() / 2);
    }

    private List<RedisServerProcess> majority() {
        List<RedisServerProcess> others = new ArrayList<>(servers);
        others.removeAll(minority());
        return others;
    }

    private void restartEmpty() throws InterruptedException {
        List<RedisServerProcess> killed = minority();
        killed.forEach(RedisServerProcess::kill);
        startAgain(killed);
    }

    /** Those that have forgotten count again after the rejoin delay, and until then no others may fail. */
    private static void startAgain(List<RedisServerProcess> killed) throws InterruptedException {
        killed.forEach(RedisServerProcess::startAgain);
        Outages.sleep(LockPlace.SHORT_LEASE.multipliedBy(2));
    }

    private void killForLong() throws InterruptedException {
        List<RedisServerProcess> killed = minority();
        killed.forEach(RedisServerProcess::kill);
        Outages.sleep(Outages.LONGER_THAN_LEASE);
        startAgain(killed);
    }

    /**
     * There and back, so that no server loses its data while the values of the clocks differ by more than the rejoin delay. One
     * of the two steps is forward, and ends leases early.
     */
    private void setOff(Duration by) throws InterruptedException {
        List<RedisServerProcess> some = minority();
        some.forEach(server -> server.step(by));
        Outages.sleep(Outages.LONGER_THAN_LEASE);
        some.forEach(server -> server.step(by.negated()));
    }

    private static void stop(List<RedisServerProcess> some) throws InterruptedException {
        some.forEach(RedisServerProcess::pause);
        Outages.sleep(Outages.LONGER_THAN_LEASE);
        some.forEach(RedisServerProcess::resume);
    }

    /** They answer in a tenth of the time only. */
    private void slowDown() throws InterruptedException {
        List<RedisServerProcess> slow = minority();
        for (int i = 0; i < SLOW_TIMES; i++) {
            slow.forEach(RedisServerProcess::pause);
            Outages.sleep(SLOW);
            slow.forEach(RedisServerProcess::resume);
            Outages.sleep(QUICK);
        }
    }
}
