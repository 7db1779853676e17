package io.holdfast.lock.explore;

import static io.holdfast.lock.explore.FenceModel.Statement.COMMIT;
import static io.holdfast.lock.explore.FenceModel.Statement.FENCE;
import static io.holdfast.lock.explore.FenceModel.Statement.READ;
import static io.holdfast.lock.explore.FenceModel.Statement.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Every order of the statements of late holders; and what is found if the fence is not the first of them. */
class FenceExplorationTest {

    private static final int ALL = 2_000_000;

    private static Explorer.Result explore(String name, int holders, FenceModel.Statement... program) {
        return Exploration.run("fence, " + name, new FenceModel(holders, program), ALL);
    }

    private static void noUpdateIsLost(Explorer.Result result) {
        assertThat(result.violation()).as(result.story()).isNull();
        assertThat(result.exhausted()).isTrue();
    }

    private static void anUpdateIsLost(Explorer.Result result) {
        assertThat(result.violation()).as(result.story()).startsWith("An update is lost");
    }

    @Test
    void no_update_is_lost_if_the_fence_is_the_first_statement() {
        noUpdateIsLost(explore("three holders", 3, FENCE, READ, WRITE, COMMIT));
    }

    @Test
    void no_update_is_lost_between_two_transactions_under_one_token() {
        noUpdateIsLost(explore("two transactions each", 3, FENCE, READ, COMMIT, FENCE, WRITE, COMMIT));
    }

    @Test
    void check_at_the_end_loses_an_update() {
        anUpdateIsLost(explore("at the end", 2, READ, WRITE, FENCE, COMMIT));
    }

    @Test
    void fence_after_the_read_loses_an_update() {
        anUpdateIsLost(explore("after the read", 2, READ, FENCE, WRITE, COMMIT));
    }

    @Test
    void transaction_without_a_fence_loses_an_update() {
        anUpdateIsLost(explore("in the first transaction only", 2, FENCE, READ, COMMIT, WRITE, COMMIT));
        anUpdateIsLost(explore("nowhere", 2, READ, WRITE, COMMIT));
    }
}
