package io.holdfast.lock.explore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** As {@link DefectsTest}, on a quorum. */
class QuorumDefectsTest {

    private static final int MAX = 60_000;
    private static final int MIN = 1_000;

    private static void findsOnlyWith(Defect defect, String violation, Supplier<QuorumSetting> setting) {
        QuorumSetting defective = setting.get().with(defect);
        Explorer.Result broken = Exploration.run(defective.toString(), new QuorumModel(defective), MAX);
        assertThat(broken.violation()).as(broken.story()).startsWith(violation);

        QuorumSetting whole = setting.get();
        Explorer.Result sound =
                Exploration.run(whole.toString(), new QuorumModel(whole), Math.max(MIN, broken.states() * 5 / 4));
        assertThat(sound.violation()).as(sound.story()).isNull();
        assertThat(sound.exhausted() || sound.depth() >= broken.depth()).isTrue();
    }

    @Test
    void server_that_takes_its_start_for_earlier_than_it_was_grants_a_lock_that_is_held() {
        findsOnlyWith(
                Defect.EARLY_REJOIN_NOTE,
                "P1",
                () -> new QuorumSetting(2).restarts(1).clocksAgree());
    }

    @Test
    void restarted_server_that_does_not_wait_grants_a_lock_that_is_held() {
        findsOnlyWith(
                Defect.NO_REJOIN_DELAY,
                "P1",
                () -> new QuorumSetting(2).restarts(1).clocksAgree());
    }

    @Test
    void token_that_most_servers_have_not_noted_is_followed_by_a_lower_one() {
        findsOnlyWith(Defect.TOKEN_NOT_NOTED, "P3", () -> new QuorumSetting(2).timeless());
    }
}
