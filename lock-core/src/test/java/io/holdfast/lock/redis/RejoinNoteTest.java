package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;

/**
 * When a server says that it was started. The test knows that by itself: after the moment in which it had it started, and
 * before the moment in which it answered. The server shares the test's clock, unless that is stepped.
 */
class RejoinNoteTest {

    /** Longer than any machine that runs this is suspended: its wall clock goes on meanwhile, and ends a short delay. */
    private static final Duration DELAY = Duration.ofHours(12);

    private static final Duration DAY = Duration.ofDays(1);
    private static final String NOTE = "holdfast:joined";

    private RedisServerProcess server;
    private RedisConnectionFactory connections;
    private RedisLockStore store;

    private void use(RedisServerProcess started) {
        server = started;
        connections = TestRedis.jedis(server.port());
        store = new RedisLockStore(
                connections, TestRedis.PATIENT.withTokenRetention(DAY).withRejoinDelay(DELAY));
    }

    @AfterEach
    void close() {
        if (server != null) {
            store.close();
            TestRedis.destroy(connections);
            server.close();
        }
    }

    private AcquireReply acquire(String key) {
        return store.acquire(Requests.exclusive(
                LockKey.of(key), new OwnerId("alice", 1), 30_000, new HolderInfo("web-1", 1, "main"), false));
    }

    private void assertRefused(String key) {
        assertThatThrownBy(() -> acquire(key))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("restarted recently");
    }

    private Instant note() {
        try (Jedis redis = TestRedis.administrator(server.port())) {
            return Instant.EPOCH.plus(Long.parseLong(redis.get(NOTE)), ChronoUnit.MICROS);
        }
    }

    private void set(Instant note) {
        try (Jedis redis = TestRedis.administrator(server.port())) {
            redis.set(NOTE, String.valueOf(ChronoUnit.MICROS.between(Instant.EPOCH, note)));
        }
    }

    private static void awaitMillisOfSecond(int millis) {
        long now = System.currentTimeMillis();
        long wait = Math.floorMod(millis - now, 1000L);
        while (System.currentTimeMillis() - now < wait) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** The server counts whole seconds, so it matters at which point of a second it starts, and at which it is asked. */
    @ParameterizedTest
    @ValueSource(ints = {0, 300, 600, 850})
    void server_says_that_it_was_started_when_it_was_or_up_to_a_second_later(int startedAt) {
        use(RedisServerProcess.start());
        server.kill();
        awaitMillisOfSecond(startedAt);
        Instant before = Instant.now();
        server.startAgain();
        awaitMillisOfSecond(20);
        Instant answered = Instant.now();

        assertRefused("order:42");

        assertThat(note()).isBetween(before, Instant.now()).isBefore(answered.plusMillis(1_100));
    }

    @Test
    void server_that_has_run_for_a_day_says_so() {
        use(RedisServerProcess.startSteppable());
        Instant answered = Instant.now();
        server.step(DAY);

        assertThat(acquire("order:42")).isInstanceOf(AcquireReply.Granted.class);

        assertThat(note()).isBefore(answered.plusMillis(1_100));
    }

    @Test
    void clock_that_goes_back_costs_one_rejoin_delay_and_not_the_time_by_which_it_went_back() {
        use(RedisServerProcess.startSteppable());
        assertRefused("order:42");

        server.step(DAY.negated());
        assertRefused("order:42");
        assertThat(note()).isBefore(Instant.now().minus(DAY));

        server.step(DELAY.plusMinutes(8));
        assertThat(acquire("order:42")).isInstanceOf(AcquireReply.Granted.class);
    }

    @Test
    void note_that_lies_ahead_of_the_clock_is_made_anew() {
        use(RedisServerProcess.start());
        set(Instant.now().plus(DAY));

        assertRefused("order:42");

        assertThat(note()).isBeforeOrEqualTo(Instant.now());
    }

    @Test
    void server_whose_clock_went_back_to_before_its_start_joins_as_if_it_had_just_been_started() {
        use(RedisServerProcess.startSteppable());
        server.step(DAY.negated());
        Instant before = Instant.now().minus(DAY);

        assertRefused("order:42");

        assertThat(note()).isBetween(before, Instant.now().minus(DAY));
    }

    @Test
    void clock_that_goes_back_costs_a_server_nothing_that_has_run_for_longer_than_that() {
        use(RedisServerProcess.start());
        set(Instant.now().minus(DAY).minusSeconds(10));

        assertThat(acquire("order:42")).isInstanceOf(AcquireReply.Granted.class);
    }
}
