package io.holdfast.lock.explore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A rule that is left out is found by the shortest course that shows it; with the rule, the same setting has none. */
class DefectsTest {

    private static final int MAX = 60_000;
    private static final int MIN = 1_000;

    private static Explorer.Result finds(String violation, Defect defect, Supplier<Setting> setting) {
        Explorer.Result broken = Exploration.run(setting.get().with(defect), MAX);
        assertThat(broken.violation()).as(broken.story()).startsWith(violation);
        return broken;
    }

    /** Without the defect there is none as near, nor somewhat further away; {@link ExplorationTest} goes on to the end. */
    private static void findsOnlyWith(Defect defect, String violation, Supplier<Setting> setting) {
        Explorer.Result broken = finds(violation, defect, setting);
        Explorer.Result sound = Exploration.run(setting.get(), Math.max(MIN, broken.states() * 5 / 4));
        assertThat(sound.violation()).as(sound.story()).isNull();
        assertThat(sound.exhausted() || sound.depth() >= broken.depth()).isTrue();
    }

    @Test
    void cloned_process_that_keeps_its_owner_ids_holds_the_lock_beside_the_other() {
        findsOnlyWith(
                Defect.SAME_OWNER_IDS, "P1", () -> Setting.exclusive(2).clones().withoutTokens());
    }

    @Test
    void message_that_is_believed_whatever_it_says_makes_a_deadline_of_the_servers_clock() {
        findsOnlyWith(
                Defect.UNVERIFIED_MESSAGES,
                "P2",
                () -> Setting.exclusive(2).clockStep(Setting.longTime()).withoutProgress());
    }

    @Test
    void forged_message_that_is_believed_grants_the_lock_for_an_hour() {
        findsOnlyWith(
                Defect.UNVERIFIED_MESSAGES,
                "P2",
                () -> Setting.exclusive(2).forgeries(1).withoutProgress());
    }

    @Test
    void silent_entry_that_counts_as_heard_is_reserved_again_and_again() {
        findsOnlyWith(Defect.SILENT_ENTRIES_COUNT_AS_ALIVE, "P5", () -> Setting.exclusive(2));
    }

    @Test
    void late_grant_is_no_contention() {
        findsOnlyWith(
                Defect.LATE_GRANT_IS_CONTENTION,
                "P8",
                () -> Setting.exclusive(1).tries());
    }

    @Test
    void late_grant_that_is_used_is_held_by_somebody_else() {
        findsOnlyWith(Defect.LATE_GRANT_IS_USED, "P", () -> Setting.exclusive(2).tries());
    }

    @Test
    void lease_that_counts_from_the_answer_outlives_the_servers() {
        findsOnlyWith(Defect.LEASE_COUNTS_FROM_ANSWER, "P2", () -> Setting.exclusive(1));
    }

    @Test
    void undone_acquisition_gets_the_lock_if_nothing_refuses_it() {
        findsOnlyWith(Defect.NO_CANCELLATION, "P7", () -> Setting.exclusive(1).lateCalls(1));
    }

    @Test
    void late_grant_that_is_not_undone_stays_at_the_store() {
        findsOnlyWith(Defect.LATE_GRANT_IS_NOT_UNDONE, "P7", () -> Setting.exclusive(1));
    }

    @Test
    void undone_owner_id_that_asks_again_loses_its_lock() {
        findsOnlyWith(
                Defect.UNDONE_OWNER_ID_ASKS_AGAIN,
                "P2",
                () -> Setting.exclusive(1).restarts(1));
    }

    @Test
    void refused_try_that_was_sent_twice_gets_the_lock_if_nothing_refuses_it() {
        findsOnlyWith(
                Defect.REFUSED_TRY_IS_NOT_CANCELLED,
                "P7",
                () -> Setting.exclusive(2).tries().duplicates(1));
    }

    @Test
    void interrupted_waiter_that_does_not_leave_stays_in_the_queue() {
        findsOnlyWith(
                Defect.INTERRUPT_LEAVES_ENTRY, "P7", () -> Setting.exclusive(2).interrupts());
    }

    @Test
    void budget_that_ends_unnoticed_allows_for_another_call() {
        findsOnlyWith(
                Defect.BUDGET_ENDS_UNNOTICED, "P6", () -> Setting.exclusive(2).givingUp());
    }

    @Test
    void paused_client_overwrites_what_its_successor_wrote_where_no_token_is_checked() {
        Explorer.Result unchecked = Exploration.run(
                Setting.exclusive(2).writes(Setting.Writes.UNCHECKED).withoutProgress(), MAX);
        assertThat(unchecked.violation()).startsWith("Client A overwrites");

        Explorer.Result checked = Exploration.run(
                Setting.exclusive(2).writes(Setting.Writes.CHECKED).withoutProgress(), unchecked.states() * 5 / 4);
        assertThat(checked.violation()).as(checked.story()).isNull();
        assertThat(checked.depth()).isGreaterThanOrEqualTo(unchecked.depth());
    }
}
