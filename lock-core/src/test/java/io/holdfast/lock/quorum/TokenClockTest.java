package io.holdfast.lock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.FakeTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TokenClockTest {

    private static final long EPOCH = 1_795_000_000_000_000L;

    private final FakeTicker time = new FakeTicker();
    private final TokenClock alice = new TokenClock(time);
    private final TokenClock bob = new TokenClock(time);
    private long now = EPOCH;
    private long last;

    /** As a server does: its clock, or one more than the last token, or what is proposed. */
    private void grantTo(TokenClock client) {
        long proposal = client.proposal();
        last = Math.max(Math.max(now, last + 1), proposal);
        client.learn(proposal, last);
    }

    private void pass(Duration duration) {
        time.pass(duration);
        now += duration.toNanos() / 1000;
    }

    @Test
    void nothing_is_proposed_before_anything_is_known() {
        assertThat(alice.proposal()).isZero();
    }

    @Test
    void proposal_is_worth_it_while_the_servers_go_on() {
        grantTo(alice);
        pass(Duration.ofSeconds(3));

        assertThat(alice.proposal()).isGreaterThan(now).isLessThan(now + 10_000);
    }

    @Test
    void servers_are_asked_anew_now_and_then() {
        grantTo(alice);
        pass(Duration.ofSeconds(11));

        assertThat(alice.proposal()).isZero();
    }

    @Test
    void clients_that_overtake_each_other_stay_near_the_clock() {
        for (int i = 0; i < 60_000; i++) {
            grantTo(i % 2 == 0 ? alice : bob);
            pass(Duration.ofNanos(250_000));
        }

        assertThat(last - now).isLessThan(20_000);
    }
}
