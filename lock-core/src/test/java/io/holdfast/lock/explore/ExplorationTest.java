package io.holdfast.lock.explore;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.store.AcquireRequest;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every state of small settings; of larger ones, of which there are more than anybody has time for, those that are reached by
 * the fewest steps.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class ExplorationTest {

    private static final int MILLION = 1_000_000;

    private static Explorer.Result holds(Explorer.Result result) {
        assertThat(result.violation()).as(result.story()).isNull();
        return result;
    }

    private static void holdsInAll(Setting setting) {
        assertThat(holds(Exploration.run(setting, MILLION)).exhausted()).isTrue();
    }

    private static void holdsInAll(QuorumSetting setting) {
        Explorer.Result result = Exploration.run(setting.toString(), new QuorumModel(setting), MILLION);
        assertThat(holds(result).exhausted()).isTrue();
    }

    private static void holdsInNearest(Setting setting, int states) {
        assertThat(holds(Exploration.run(setting, states)).states()).isGreaterThanOrEqualTo(states);
    }

    private static void holdsInNearest(QuorumSetting setting, int states) {
        Explorer.Result result = Exploration.run(setting.toString(), new QuorumModel(setting), states);
        assertThat(holds(result).states()).isGreaterThanOrEqualTo(states);
    }

    @Test
    void one_client_whose_calls_come_late_and_twice() {
        holdsInAll(Setting.exclusive(1)
                .tries()
                .givingUp()
                .interrupts()
                .lateCalls(1)
                .duplicates(1));
    }

    @Test
    void one_client_that_starts_over_after_a_grant_that_comes_late() {
        holdsInAll(Setting.exclusive(1).restarts(1).lateCalls(1));
    }

    @Test
    @Tag("full")
    void two_clients() {
        holdsInAll(Setting.exclusive(2));
    }

    @Test
    @Tag("full")
    void two_clones() {
        holdsInAll(Setting.exclusive(2).clones());
    }

    @Test
    @Tag("full")
    void two_clients_who_try_once_or_wait_and_give_up() {
        holdsInAll(Setting.exclusive(2).tries().givingUp().interrupts());
    }

    @Test
    @Tag("full")
    void writer_and_two_readers() {
        holdsInNearest(
                Setting.limits(AcquireRequest.EXCLUSIVE, Integer.MAX_VALUE, Integer.MAX_VALUE)
                        .withoutProgress(),
                MILLION / 5);
    }

    @Test
    @Tag("full")
    void two_permits_for_three_clients() {
        holdsInNearest(Setting.limits(2, 2, 2).withoutProgress(), MILLION / 5);
    }

    @Test
    @Tag("full")
    void two_clients_whose_calls_come_late_and_twice() {
        holdsInNearest(Setting.exclusive(2).lateCalls(1).duplicates(1).slowPolls(), MILLION / 5);
    }

    @Test
    @Tag("full")
    void two_clients_of_a_server_that_loses_its_data_and_whose_clock_steps() {
        holdsInNearest(
                Setting.exclusive(2)
                        .acquisitions(2)
                        .losses(1)
                        .clockStep(Setting.longTime())
                        .withoutProgress(),
                MILLION / 5);
    }

    @Test
    @Tag("full")
    void three_clients() {
        holdsInNearest(Setting.exclusive(3).lateCalls(1).duplicates(1).withoutProgress(), MILLION);
    }

    @Test
    @Tag("full")
    void quorum_whose_servers_restart() {
        holdsInNearest(new QuorumSetting(2).restarts(2).renewals(1), MILLION / 10);
    }

    @Test
    @Tag("full")
    void quorum_whose_servers_do_not_answer() {
        holdsInNearest(new QuorumSetting(2).tries(2).failures(2), MILLION / 10);
    }

    @Test
    @Tag("full")
    void quorum_whose_grants_reserve_tokens_and_come_late() {
        holdsInAll(new QuorumSetting(3).block(100).timeless().clocksAgree());
    }

    @Test
    @Tag("full")
    void quorum_whose_answers_come_late() {
        holdsInAll(new QuorumSetting(2).slowAnswers().timeless());
    }
}
