package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.testing.FakeTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** What becomes of the locks of other calls when one fails. */
class BatchesTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final List<Integer> REQUESTS = IntStream.range(0, 60).boxed().toList();

    private final FakeTicker time = new FakeTicker();
    private final Batches toOneServer = new Batches(() -> true, 1, TIMEOUT, time);
    private final Batches toCluster = new Batches(() -> false, 1, TIMEOUT, time);
    private final List<Integer> sent = new ArrayList<>();

    /** One by one; those that hang take a command timeout. */
    private List<String> send(Batches calls, Set<Integer> hanging) {
        return calls.send(
                REQUESTS,
                request -> "",
                request -> 1,
                call -> {
                    sent.addAll(call);
                    if (hanging.contains(call.get(0))) {
                        time.pass(TIMEOUT);
                        throw new LockStoreException("hangs", null, true);
                    }
                    return List.of("answer " + call.get(0));
                },
                LockStoreException::getMessage);
    }

    /** The calls that one server, or several, would get. */
    private List<List<Integer>> calls(
            int most, Function<Integer, String> server, ToIntFunction<Integer> weight, Integer... requests) {
        List<List<Integer>> calls = new ArrayList<>();
        new Batches(() -> true, most, TIMEOUT, time)
                .send(
                        List.of(requests),
                        server,
                        weight,
                        call -> {
                            calls.add(call);
                            return call;
                        },
                        failure -> 0);
        return calls;
    }

    @Test
    void requests_are_cut_by_what_they_weigh() {
        assertThat(calls(10, weight -> "", weight -> weight, 3, 3, 4, 11, 1, 9, 1))
                .containsExactly(List.of(3, 3, 4), List.of(11), List.of(1, 9), List.of(1));
        assertThat(calls(10, weight -> "", weight -> weight)).isEmpty();
    }

    @Test
    void requests_are_cut_by_their_servers() {
        assertThat(calls(2, number -> number % 2 == 0 ? "a" : "b", number -> 1, 1, 2, 3, 4, 5, 6))
                .containsExactly(List.of(1, 3), List.of(2, 4), List.of(5), List.of(6));
    }

    @RepeatedTest(20)
    void answers_of_several_servers_are_put_into_the_order_of_the_requests() {
        List<String> answers = new Batches(() -> false, 4, TIMEOUT, time)
                .send(
                        REQUESTS,
                        request -> String.valueOf(request % 7),
                        request -> 1,
                        call -> call.stream()
                                .map(request -> "answer " + request)
                                .toList(),
                        LockStoreException::getMessage);

        assertThat(answers).isEqualTo(answers());
    }

    @RepeatedTest(20)
    void answers_are_in_the_order_of_the_requests() {
        assertThat(send(toCluster, Set.of())).isEqualTo(answers());
        assertThat(send(toOneServer, Set.of())).isEqualTo(answers());
    }

    private static List<String> answers() {
        return REQUESTS.stream().map(request -> "answer " + request).toList();
    }

    @Test
    void one_server_that_hangs_is_not_asked_again() {
        List<String> answers = send(toOneServer, Set.of(2, 4));

        assertThat(sent).containsExactly(0, 1, 2);
        assertThat(answers.subList(0, 2)).containsExactly("answer 0", "answer 1");
        assertThat(answers.subList(2, 60)).hasSize(58).containsOnly("hangs");
    }

    @RepeatedTest(20)
    void other_nodes_of_a_cluster_are_asked_for_their_locks() {
        List<String> answers = send(toCluster, Set.of(0, 31));

        List<String> expected = new ArrayList<>(answers());
        expected.set(0, "hangs");
        expected.set(31, "hangs");
        assertThat(answers).isEqualTo(expected);
    }

    @RepeatedTest(20)
    void hanging_node_of_a_cluster_costs_three_timeouts_at_most() {
        long start = time.nanos();

        send(toCluster, Set.of(0, 10, 20, 30, 40, 50));

        assertThat(Duration.ofNanos(time.nanos() - start)).isEqualTo(TIMEOUT.multipliedBy(3));
        assertThat(sent).hasSizeLessThan(60);
    }

    @Test
    void locks_that_were_not_asked_for_have_their_chance_the_next_time() {
        Set<Integer> hanging = Set.of(0, 10, 20, 30, 40, 50);
        List<String> last = new ArrayList<>();
        for (int i = 0; i < 1000 && !last.contains("answer 59"); i++) {
            last = send(toCluster, hanging);
        }
        assertThat(last).contains("answer 59");
        for (int i = 0; i < 1000 && !last.contains("answer 1"); i++) {
            last = send(toCluster, hanging);
        }
        assertThat(last).contains("answer 1");
    }

    @Test
    void first_failure_is_thrown_if_all_fail() {
        for (Batches calls : List.of(toOneServer, toCluster)) {
            assertThatThrownBy(() -> send(calls, Set.copyOf(REQUESTS)))
                    .isInstanceOf(LockStoreException.class)
                    .hasMessage("hangs");
        }
    }
}
