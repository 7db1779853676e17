package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.Blockage;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.store.scan.RecordedWait;
import io.holdfast.lock.store.scan.WaitReport;
import io.holdfast.lock.store.scan.WaitTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which cycles of recorded waits are deadlocks. */
class WaitGraphTest {

    private static final LockMode EXCLUSIVE = LockMode.EXCLUSIVE;
    private static final LockMode SHARED = LockMode.SHARED;

    private static RecordedWait wait(
            String client, String held, LockMode heldMode, String wanted, LockMode mode, long since, long seen) {
        return wait(client, held, heldMode, wanted, mode, since, seen, false);
    }

    private static RecordedWait wait(
            String client,
            String held,
            LockMode heldMode,
            String wanted,
            LockMode mode,
            long since,
            long seen,
            boolean ended) {
        var what = new NestedWait(
                client,
                "host",
                1,
                "main",
                LockKey.of(wanted),
                mode,
                Duration.ofSeconds(1),
                List.of(new NestedWait.HeldLock(LockKey.of(held), 7, heldMode)));
        return new RecordedWait(new WaitReport(1, ended, what), since, seen);
    }

    private static RecordedWait wait(String client, String held, String wanted, long since, long seen) {
        return wait(client, held, EXCLUSIVE, wanted, EXCLUSIVE, since, seen);
    }

    private static int deadlocks(RecordedWait... waits) {
        return new WaitGraph(List.of(waits)).waits().deadlocks().size();
    }

    private static final int HOLDS = 100;

    /** Each caller of a layer waits for one of the keys that all callers of the next layer share; those of the last, for nobody's. */
    private static List<RecordedWait> layered(int waits, int layers, boolean oneKey) {
        List<RecordedWait> graph = new ArrayList<>();
        int width = waits / layers;
        for (int i = 0; i < width * layers; i++) {
            int layer = i / width;
            List<NestedWait.HeldLock> holds = new ArrayList<>();
            for (int key = 0; key < (oneKey ? 1 : HOLDS); key++) {
                holds.add(new NestedWait.HeldLock(LockKey.of("layer-" + layer + "-" + key), 7, SHARED));
            }
            LockKey wanted = LockKey.of("layer-" + (layer + 1) + "-" + (oneKey ? 0 : i % HOLDS));
            var what = new NestedWait("c" + i, "host", 1, "main", wanted, EXCLUSIVE, Duration.ofSeconds(1), holds);
            graph.add(new RecordedWait(new WaitReport(i + 1, false, what), 1_000 + i, 10_000));
        }
        return graph;
    }

    private static LockHolder holder(String client) {
        return new LockHolder(
                client, "host", 1, "main", Instant.EPOCH, Duration.ofSeconds(10), 7, SHARED, false, Optional.empty());
    }

    private static long size(List<RecordedWait> graph) {
        return graph.stream()
                .mapToLong(each -> 1 + each.report().what().holds().size())
                .sum();
    }

    @ParameterizedTest
    @CsvSource({"500,2", "500,3", "500,5", "500,50", "500,500", "5000,2", "5000,5", "50000,5"})
    void search_in_a_graph_without_cycles_is_linear(int waits, int layers) {
        for (boolean oneKey : new boolean[] {true, false}) {
            List<RecordedWait> recorded = layered(Math.min(waits, oneKey ? waits : 5_000), layers, oneKey);
            WaitGraph graph = new WaitGraph(recorded);

            assertThat(graph.waits().deadlocks()).isEmpty();
            Blockage blockage = graph.blockage("c0", 1, LockKey.of("layer-1-0"), holder("c" + waits / layers));

            assertThat(blockage.deadlock()).isEmpty();
            assertThat(graph.steps).isLessThan(10 * size(recorded));
        }
    }

    /** The last layer waits for the first one, so that every path leads back. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void cycle_through_many_layers_is_found_in_linear_time_and_is_the_shortest(int layers) {
        List<RecordedWait> recorded = new ArrayList<>(layered(100 * layers, layers, true));
        for (int i = 0; i < recorded.size(); i++) {
            NestedWait what = recorded.get(i).report().what();
            LockKey wanted = what.key().value().equals("layer-" + layers + "-0") ? LockKey.of("layer-0-0") : what.key();
            var closed = new NestedWait(
                    what.clientId(), "host", 1, "main", wanted, EXCLUSIVE, Duration.ofSeconds(1), what.holds());
            recorded.set(i, new RecordedWait(new WaitReport(i + 1, false, closed), 1_000 + i, 10_000));
        }
        WaitGraph graph = new WaitGraph(recorded);

        Blockage blockage = graph.blockage("c0", 1, LockKey.of("layer-1-0"), holder("c100"));

        assertThat(blockage.deadlock()).hasValueSatisfying(deadlock -> {
            assertThat(deadlock.waits()).hasSize(layers);
            assertThat(deadlock.waits().get(0).clientId()).isEqualTo("c0");
        });
        assertThat(graph.steps).isLessThan(10 * size(recorded));
    }

    /** A ring of waits, of which one began when the others had ended: searched from each of them at each moment, it is quadratic. */
    @Test
    void search_ends_where_there_is_a_cycle_but_no_moment_for_it() {
        List<RecordedWait> ring = new ArrayList<>();
        for (int i = 0; i < 499; i++) {
            ring.add(wait("c" + i, "k" + i, "k" + (i + 1), 1_000 + i, 10_000));
        }
        ring.add(wait("c499", "k499", "k0", 20_000, 30_000));
        WaitGraph graph = new WaitGraph(ring);

        assertThat(graph.waits().deadlocks()).isEmpty();
        assertThat(graph.blockage("c0", 1, LockKey.of("k1"), holder("c1")).deadlock())
                .isEmpty();
        assertThat(graph.steps).isLessThan(100 * size(ring));
    }

    @Test
    void cycle_of_waits_that_were_going_on_at_one_moment_is_a_deadlock_once() {
        assertThat(deadlocks(wait("one", "a", "b", 10, 30), wait("two", "b", "a", 20, 40)))
                .isEqualTo(1);
        assertThat(deadlocks(wait("one", "a", "b", 20, 40), wait("two", "b", "a", 20, 40)))
                .isEqualTo(1);
    }

    @Test
    void waits_that_may_have_been_one_after_the_other_are_none() {
        assertThat(deadlocks(wait("one", "a", "b", 10, 19), wait("two", "b", "a", 20, 40)))
                .isZero();
        assertThat(deadlocks(wait("one", "a", "b", 10, 30), wait("two", "b", "a", 20, 0)))
                .isZero();
    }

    @Test
    void cycle_of_three_needs_a_moment_that_all_have_in_common() {
        RecordedWait one = wait("one", "a", "b", 10, 30);
        RecordedWait two = wait("two", "b", "c", 20, 40);

        assertThat(deadlocks(one, two, wait("three", "c", "a", 30, 50))).isEqualTo(1);
        assertThat(deadlocks(one, two, wait("three", "c", "a", 31, 50))).isZero();
    }

    @Test
    void chain_is_none() {
        assertThat(deadlocks(wait("one", "a", "b", 10, 30), wait("two", "b", "c", 10, 30)))
                .isZero();
    }

    @Test
    void readers_do_not_exclude_each_other() {
        RecordedWait writer = wait("two", "b", "a", 10, 30);

        assertThat(deadlocks(wait("one", "a", SHARED, "b", EXCLUSIVE, 10, 30), writer))
                .isEqualTo(1);
        assertThat(deadlocks(
                        wait("one", "a", SHARED, "b", EXCLUSIVE, 10, 30),
                        wait("two", "b", EXCLUSIVE, "a", SHARED, 10, 30)))
                .isZero();
        assertThat(deadlocks(
                        wait("one", "a", EXCLUSIVE, "b", EXCLUSIVE, 10, 30),
                        wait("two", "b", EXCLUSIVE, "a", SHARED, 10, 30)))
                .isEqualTo(1);
    }

    @Test
    void cycle_with_a_wait_that_has_ended_is_told_to_those_who_were_in_it_only() {
        RecordedWait mine = wait("one", "a", "b", 10, 30);
        var graph = new WaitGraph(List.of(mine, wait("two", "b", EXCLUSIVE, "a", EXCLUSIVE, 20, 30, true)));

        assertThat(graph.waits().deadlocks()).isEmpty();
        assertThat(graph.waits().nestedWaits()).containsExactly(mine.report().what());
        assertThat(blockage(graph, "one", 1, "two").deadlock()).isPresent();
        assertThat(blockage(graph, "one", 1, "two").holderWaitsFor()).isEmpty();
    }

    @Test
    void who_waits_for_a_holder_in_a_deadlock_is_told_of_it() {
        var graph = new WaitGraph(List.of(wait("one", "a", "b", 10, 30), wait("two", "b", "a", 20, 30)));

        Blockage blockage = blockage(graph, "three", 0, "two");

        assertThat(blockage.holderWaitsFor().orElseThrow().clientId()).isEqualTo("two");
        assertThat(blockage.deadlock().orElseThrow().waits()).hasSize(2);
        assertThat(blockage(graph, "three", 0, "another")).isEqualTo(Blockage.UNKNOWN);
    }

    @Test
    void deadlock_names_the_waits_of_the_shortest_cycle_in_their_order() {
        RecordedWait one = wait("one", "a", "b", 10, 40);
        RecordedWait two = wait("two", "b", "c", 10, 40);
        RecordedWait three = wait("three", "c", "a", 20, 40);
        RecordedWait behind = wait("behind", "d", "a", 15, 40);

        var graph = new WaitGraph(List.of(behind, one, two, three));

        assertThat(graph.waits().deadlocks())
                .singleElement()
                .satisfies(cycle -> assertThat(cycle.waits())
                        .extracting(NestedWait::clientId)
                        .containsExactly("three", "one", "two"));
    }

    @Test
    void wait_of_another_client_with_the_same_number_is_not_that_wait() {
        var graph = new WaitGraph(List.of(wait("one", "a", "b", 10, 30), wait("two", "b", "a", 20, 30)));

        assertThat(blockage(graph, "three", 1, "another").deadlock()).isEmpty();
        assertThat(blockage(graph, "one", 2, "another").deadlock()).isEmpty();
        assertThat(blockage(graph, "one", 0, "another").deadlock()).isEmpty();
        assertThat(blockage(graph, "one", 1, "another").deadlock()).isPresent();
    }

    @Test
    void holder_of_a_shared_lock_is_known_by_its_token() {
        var graph = new WaitGraph(List.of(wait("two", "b", SHARED, "c", EXCLUSIVE, 10, 30)));

        assertThat(graph.blockage("one", 0, LockKey.of("b"), holder("two", 7)).holderWaitsFor())
                .isPresent();
        assertThat(graph.blockage("one", 0, LockKey.of("b"), holder("two", 8)).holderWaitsFor())
                .isEmpty();
        assertThat(graph.blockage("one", 0, LockKey.of("a"), holder("two", 7)).holderWaitsFor())
                .isEmpty();
    }

    private static LockHolder holder(String client, long token) {
        return new LockHolder(
                client,
                "host",
                1,
                "main",
                Instant.EPOCH,
                Duration.ofSeconds(1),
                token,
                SHARED,
                false,
                Optional.empty());
    }

    @Test
    void no_more_than_500_waits_are_looked_at() {
        List<RecordedWait> waits = new ArrayList<>();
        waits.add(wait("one", "a", "b", 10, 30));
        for (int i = 0; i < 498; i++) {
            waits.add(wait("client", "held:" + i, "wanted:" + i, 10, 30));
        }
        waits.add(wait("two", "b", "a", 20, 30));
        assertThat(new WaitGraph(waits).waits().deadlocks()).hasSize(1);

        waits.add(1, wait("client", "held", "wanted", 10, 30));

        assertThat(new WaitGraph(waits).waits().deadlocks()).isEmpty();
    }

    /** Of a wait for b. */
    private static Blockage blockage(WaitGraph graph, String client, long waitId, String holder) {
        var held = new LockHolder(
                holder, "host", 1, "main", Instant.EPOCH, Duration.ofSeconds(1), 3, EXCLUSIVE, false, Optional.empty());
        return graph.blockage(client, waitId, LockKey.of("b"), held);
    }

    @Test
    void report_dates_the_one_before_it() {
        WaitTimes times = new WaitTimes();
        WaitReport going = wait("one", "a", "b", 0, 0).report();
        times.answered(times.next(List.of(going)), 100);

        RecordedWait second = times.next(List.of(going)).get(0);
        assertThat(second.sinceMicros()).isEqualTo(100);
        assertThat(second.seenMicros()).isEqualTo(100);
        times.answered(List.of(second), 200);
        WaitReport ended = new WaitReport(1, true, going.what());
        assertThat(times.next(List.of(ended)).get(0).seenMicros()).isEqualTo(100);
        assertThat(times.next(List.of(going)).get(0).seenMicros()).isEqualTo(200);
        assertThat(times.next(List.of(new WaitReport(2, false, going.what())))
                        .get(0)
                        .sinceMicros())
                .isZero();
    }
}
