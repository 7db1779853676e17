package io.holdfast.lock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.FakeTicker;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TokenClockTest {

    private static final long EPOCH = 1_795_000_000_000_000L;

    private final FakeTicker time = new FakeTicker();
    private final TokenClock clock = new TokenClock(Duration.ofMinutes(1), time);
    private long now = EPOCH;

    /** As by a server that knows no token yet: its clock, or what is proposed. */
    private void grant() {
        long proposal = clock.proposal();
        clock.learn(proposal, Math.max(now, proposal));
    }

    private void pass(Duration duration) {
        time.pass(duration);
        now += duration.toNanos() / 1000;
    }

    @Test
    void nothing_is_proposed_before_anything_is_known() {
        assertThat(clock.proposal()).isZero();
    }

    @Test
    void proposal_is_worth_it_while_the_servers_go_on() {
        grant();
        pass(Duration.ofSeconds(3));

        assertThat(clock.proposal()).isGreaterThan(now).isLessThan(now + 10_000);
    }

    @Test
    void servers_are_asked_anew_now_and_then() {
        grant();
        pass(Duration.ofSeconds(11));

        assertThat(clock.proposal()).isZero();
    }

    @Test
    void servers_that_are_ahead_are_caught_up_with_after_a_second() {
        grant();
        now += 5_000_000;
        grant();
        assertThat(clock.proposal()).isLessThan(now);

        pass(Duration.ofMillis(1001));
        grant();
        grant();

        assertThat(clock.proposal()).isGreaterThan(now);
    }

    /** Each finds the others' proposals in its way, and may not take them for the time. */
    @Test
    void clients_in_turn_do_not_drive_tokens_away_from_the_time() {
        List<TokenClock> clients = List.of(
                new TokenClock(Duration.ofMinutes(1), time),
                new TokenClock(Duration.ofMinutes(1), time),
                new TokenClock(Duration.ofMinutes(1), time));
        Random ways = new Random(42);
        long last = 0;
        for (int i = 0; i < 200_000; i++) {
            TokenClock client = clients.get(i % clients.size());
            long proposal = client.proposal();
            pass(Duration.ofNanos(1000 * ways.nextInt(200)));
            last = Math.max(Math.max(now, proposal), last + 1);
            pass(Duration.ofNanos(1000 * ways.nextInt(400)));
            client.learn(proposal, last);
        }

        assertThat(Duration.ofNanos((last - now) * 1000)).isLessThan(Duration.ofMillis(100));
    }
}
