package io.holdfast.lock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Every course of the protocol by which a quorum chooses fencing tokens. */
class TokenProtocolTest {

    @Test
    void tokens_increase_whatever_is_late_or_lost() {
        TokenProtocol protocol = new TokenProtocol(TokenProtocol.Rule.CONDITIONAL);

        protocol.explore();

        assertThat(protocol.counted()).isPositive();
        assertThat(protocol.violations()).isZero();
    }

    @Test
    void token_that_is_written_back_without_a_condition_lets_a_lower_one_count_later() {
        TokenProtocol protocol = new TokenProtocol(TokenProtocol.Rule.UNCONDITIONAL);

        protocol.explore();

        assertThat(protocol.violations()).isPositive();
    }
}
