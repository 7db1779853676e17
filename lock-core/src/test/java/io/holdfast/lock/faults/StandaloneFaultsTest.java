package io.holdfast.lock.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.RedisAddress;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** One server, which several processes reach by a bad network. */
@Tag("faults")
class StandaloneFaultsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final RedisServerProcess server = Outages.startServer();
    private final Network network = new Network(List.of(server.port()));

    @AfterEach
    void end() throws IOException {
        network.close();
        server.close();
    }

    @Test
    void promises_are_kept_whatever_happens_to_network_server_and_clients() throws Exception {
        try (FaultRun run = new FaultRun("one server")) {
            LockPlace place =
                    LockPlace.of(RedisAddress.standalone(server.port())).behind(network);
            Crew crew = run.crew("standalone", place, Keys.of(Use.values()), 3);
            Duration early = Outages.untilLeasesAreOver(place.lease());
            List<Fault> faults = new ArrayList<>(List.of(
                    new Fault("server stopped for longer than the lease", () -> pause(Outages.LONGER_THAN_LEASE)),
                    new Fault("server stopped for less than the lease", () -> pause(Outages.SHORTER_THAN_LEASE)),
                    new Fault("connections cut", () -> network.to(server.port()).cut()),
                    new Fault("answers lost for 1 s", this::loseAnswers),
                    new Fault("scripts flushed", this::flushScripts),
                    new Fault("process killed", crew::killOne),
                    new Fault("process copied", crew::copyOne),
                    new Fault(
                            "process stopped for longer than the lease",
                            () -> crew.stopOne(Outages.LONGER_THAN_LEASE))));
            faults.addAll(Outages.ofNetwork("the server", network, network::servers, Outages.TRICKLE));
            run.inflict(Outages.withSteps(
                    faults,
                    new Fault("clock set forward by 1 s", early, () -> server.step(SECOND)),
                    new Fault("clock set back by 1 s", () -> server.step(SECOND.negated())),
                    new Fault("clock set forward by 1 h", early, () -> server.step(Outages.CLOCK_STEP)),
                    new Fault("clock set back by 1 h", () -> server.step(Outages.CLOCK_STEP.negated()))));
            Report report = run.report("one server", crew);
            assertThat(report.violations()).isEmpty();
            assertThat(report.unexpectedFailures()).isEmpty();
            assertThat(report.history().losses()).isPositive();
        }
    }

    private void pause(Duration time) throws InterruptedException {
        server.pause();
        Thread.sleep(time.toMillis());
        server.resume();
    }

    private void loseAnswers() throws InterruptedException {
        FaultProxy proxy = network.to(server.port());
        proxy.loseReplies(true);
        Thread.sleep(1000);
        proxy.loseReplies(false);
        proxy.cut();
    }

    private void flushScripts() {
        try (Jedis redis = TestRedis.administrator(server.port())) {
            redis.scriptFlush();
        }
    }
}
