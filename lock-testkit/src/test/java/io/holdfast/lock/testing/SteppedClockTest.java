package io.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** A server whose clock is set while it runs. */
class SteppedClockTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final RedisServerProcess server = RedisServerProcess.startSteppable();
    private final Jedis redis = TestRedis.administrator(server.port());

    @AfterEach
    void end() {
        redis.close();
        server.close();
    }

    private Duration ahead() {
        List<String> time = redis.time();
        return Duration.ofSeconds(
                Long.parseLong(time.get(0)) - TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()));
    }

    private static void assertNear(Duration actual, Duration expected) {
        assertThat(actual).isBetween(expected.minusSeconds(10), expected.plusSeconds(10));
    }

    @Test
    void server_begins_with_the_time_of_this_machine() {
        assertNear(ahead(), Duration.ZERO);
    }

    @Test
    void server_goes_on_with_the_time_that_it_was_set_to() {
        server.step(HOUR);
        assertNear(ahead(), HOUR);

        server.step(HOUR.multipliedBy(-2));
        assertNear(ahead(), HOUR.negated());
        assertThat(server.clockOffset()).isEqualTo(HOUR.negated());
    }

    @Test
    void keys_expire_by_the_clock_that_was_set() {
        redis.psetex("key", HOUR.toMillis(), "value");
        server.step(HOUR.plusSeconds(1));

        assertThat(redis.get("key")).isNull();
    }

    @Test
    void scripts_see_the_clock_that_was_set() {
        Object before = redis.eval("return tonumber(redis.call('TIME')[1])");
        server.step(HOUR);
        Object after = redis.eval("return tonumber(redis.call('TIME')[1])");

        assertThat((Long) after - (Long) before).isGreaterThanOrEqualTo(HOUR.toSeconds());
    }

    @Test
    void server_that_is_started_again_keeps_its_clock() {
        server.step(HOUR);
        server.kill();
        server.startAgain();

        try (Jedis anew = TestRedis.administrator(server.port())) {
            assertThat(Long.parseLong(anew.time().get(0)))
                    .isGreaterThan(TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()) + HOUR.toSeconds() - 10);
        }
    }
}
