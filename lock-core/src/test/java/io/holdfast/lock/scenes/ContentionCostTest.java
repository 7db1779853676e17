package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an acquisition costs does not grow with the number of those who want the lock. */
class ContentionCostTest {

    private static final String KEY = "order:42";
    private static final LockRequest PATIENT = LockRequest.of(KEY).waitFor(Duration.ofMinutes(1));

    private RedisServerProcess server;
    private CommandCount commands;

    @BeforeEach
    void start() {
        server = RedisServerProcess.start();
        commands = new CommandCount(server.port());
    }

    @AfterEach
    void stop() {
        commands.close();
        server.close();
    }

    private double callsForEach(int clientCount, int threads, boolean fair, int visits) {
        Contest contest = new Contest(visits);
        try (Clients clients = Clients.open(clientCount, TestRedis.Client.JEDIS, server.port())) {
            for (int i = 0; i < clientCount; i++) {
                clients.get(i).acquire("warm-up").close();
            }
            commands.reset();
            contest.run(clients, threads, locks -> {
                try (LockHandle handle = locks.acquire(PATIENT.fair(fair))) {
                    contest.visit();
                }
            });
            long calls = commands.of("evalsha");
            contest.assertSound();
            return (double) calls / contest.visits();
        }
    }

    /** QueueEntry and hand-over; the rest is for polls, and for claims where the message of a hand-over is late. */
    @ParameterizedTest
    @CsvSource({
        "1, 1, false",
        "1, 1, true",
        "1, 8, true",
        "1, 64, true",
        "2, 1, false",
        "4, 1, false",
        "2, 1, true",
        "4, 1, true",
        "4, 8, true"
    })
    void each_acquisition_takes_two_calls(int clients, int threads, boolean fair) throws Exception {
        RunningTime.withoutPause(
                () -> assertThat(callsForEach(clients, threads, fair, 600)).isLessThan(2.5));
    }

    @ParameterizedTest
    @CsvSource({"1, 8", "1, 64"})
    void threads_of_one_client_share_the_calls_of_a_grant(int clients, int threads) throws Exception {
        RunningTime.withoutPause(
                () -> assertThat(callsForEach(clients, threads, false, 20_000)).isLessThan(0.5));
    }

    @ParameterizedTest
    @CsvSource({"2, 8", "4, 8"})
    void threads_of_several_clients_share_them_too(int clients, int threads) throws Exception {
        RunningTime.withoutPause(
                () -> assertThat(callsForEach(clients, threads, false, 5_000)).isLessThan(1.5));
    }

    @Test
    void entries_of_one_client_are_kept_by_one_call_however_many_there_are() {
        int waiters = 64;
        try (Clients clients = Clients.open(2, TestRedis.Client.JEDIS, server.port())) {
            LockHandle holder = clients.get(0).acquire(KEY);
            for (int i = 0; i < waiters; i++) {
                clients.async(1, locks -> locks.acquire(PATIENT.fair(true)));
            }
            clients.awaitWaiters(KEY, waiters);
            LockHolder first = clients.get(0).inspect(KEY).holder().orElseThrow();
            Clients.await(() -> commands.waitersThatHear(first) == 1);
            commands.reset();
            List<List<EntryRequest>> polls = clients.store(1).polls;
            int before = polls.size();

            Clients.await(() -> polls.size() >= before + 6);

            long calls = commands.of("evalsha");
            assertThat(calls).isLessThanOrEqualTo(polls.size() - before + 1);
            assertThat(polls.subList(before + 1, before + 6))
                    .allSatisfy(poll -> assertThat(poll)
                            .singleElement()
                            .satisfies(row -> assertThat(row.owners()).hasSize(waiters)));
            assertThat(clients.store(1).acquires).hasSize(waiters);
            assertThat(holder.isHeld()).isTrue();
        }
    }
}
