package io.holdfast.lock.explore;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.explore.SpreadSetting.Flaw;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every state of clients that acquire several locks on several nodes at the same time, or in order. */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class SpreadExplorationTest {

    private static final int MOST = 1_000_000;

    private static Explorer.Result explore(SpreadSetting setting, int most) {
        return Exploration.run(setting.toString(), new SpreadModel(setting), most);
    }

    private static void holdsInAll(SpreadSetting setting) {
        Explorer.Result result = explore(setting, MOST);
        assertThat(result.violation()).as(result.story()).isNull();
        assertThat(result.exhausted()).isTrue();
    }

    private static void holdsInNearest(SpreadSetting setting, int states) {
        Explorer.Result result = explore(setting, states);
        assertThat(result.violation()).as(result.story()).isNull();
    }

    private static void findsOnlyWithout(Flaw rule, String violation, Supplier<SpreadSetting> setting) {
        Explorer.Result broken = explore(setting.get().without(rule), MOST);
        assertThat(broken.violation()).as(broken.story()).startsWith(violation);
        holdsInNearest(setting.get(), broken.states() * 5 / 4);
    }

    private static SpreadSetting setting() {
        return new SpreadSetting();
    }

    @Test
    void two_clients_that_wait_for_the_same_locks() {
        holdsInAll(setting().waits("ab").waits("ab"));
    }

    @Test
    void two_clients_that_wait_for_locks_that_overlap_and_give_up() {
        holdsInAll(setting().waits("ab").waits("bc").givingUp());
    }

    /** The budget may end during any call. */
    @Test
    void client_that_gives_up_beside_one_that_tries_once() {
        holdsInAll(setting().waits("ab").tries("ab").givingUp());
    }

    @Test
    void two_clients_that_try_once() {
        holdsInAll(setting().tries("ab").tries("ab"));
    }

    @Test
    void client_that_waits_beside_one_that_tries_once() {
        holdsInAll(setting().waits("ab").tries("ab"));
    }

    @Test
    void one_client_whose_replies_are_lost_or_connections_break() {
        holdsInAll(setting().waits("ab").losses(2));
        holdsInAll(setting().waits("ab").breaks(2));
        holdsInAll(setting().waits("abc").losses(1).breaks(1));
    }

    @Test
    @Tag("full")
    void three_clients_that_would_wait_in_a_circle() {
        holdsInAll(setting().waits("ab").waits("bc").waits("ac"));
    }

    @Test
    @Tag("full")
    void three_clients_that_try_once_or_wait() {
        holdsInAll(setting().tries("ab").tries("ab").waits("ab"));
    }

    @Test
    @Tag("full")
    void two_clients_whose_replies_are_lost_or_connections_break() {
        holdsInAll(setting().waits("ab").waits("ab").losses(1));
        holdsInAll(setting().waits("ab").waits("ab").breaks(1));
    }

    @Test
    @Tag("full")
    void two_clients_of_three_locks() {
        holdsInAll(setting().waits("abc").waits("abc"));
    }

    @Test
    void single_tries_that_request_all_locks_at_the_same_time_may_all_fail() {
        findsOnlyWithout(
                Flaw.TRIES_ARE_SPREAD, "P8", () -> setting().tries("ab").tries("ab"));
    }

    @Test
    void locks_that_are_not_given_back_after_a_refusal_block_their_owner() {
        findsOnlyWithout(
                Flaw.NOTHING_IS_GIVEN_BACK, "P", () -> setting().waits("ab").waits("ab"));
    }

    @Test
    void late_call_that_is_not_cancelled_leaves_a_lock_behind() {
        findsOnlyWithout(
                Flaw.LATE_CALLS_ARE_FORGOTTEN,
                "P",
                () -> setting().waits("ab").waits("ab").breaks(1));
    }
}
