package io.holdfast.lock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockStoreException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** How many threads one server takes up. The test plays the threads. */
class ThreadsTest {

    private final Deque<Runnable> started = new ArrayDeque<>();
    private final Threads threads = new Threads("a:1", started::add);
    private final List<Integer> ran = new ArrayList<>();
    private final List<LockStoreException> refusals = new ArrayList<>();

    private void execute(int number) {
        threads.execute(() -> ran.add(number), refusals::add);
    }

    private void runAll() {
        while (!started.isEmpty()) {
            started.removeFirst().run();
        }
    }

    @Test
    void calls_to_a_server_that_hangs_take_up_so_many_threads_and_no_more() {
        for (int i = 0; i < Threads.MOST + Threads.LINE + 3; i++) {
            execute(i);
        }

        assertThat(started).hasSize(Threads.MOST);
        assertThat(refusals)
                .hasSize(3)
                .allSatisfy(refusal -> assertThat(refusal.outcomeUnknown()).isFalse())
                .allSatisfy(refusal -> assertThat(refusal).hasMessageContaining("a:1 is too slow"));
    }

    @Test
    void calls_that_wait_run_in_their_order_as_others_end() {
        for (int i = 0; i < Threads.MOST + 10; i++) {
            execute(i);
        }

        runAll();

        assertThat(ran).hasSize(Threads.MOST + 10).isSorted();
        execute(-1);
        assertThat(started).hasSize(1);
    }

    @Test
    void calls_that_wait_are_refused_when_there_are_no_threads_any_more() {
        Deque<Runnable> last = new ArrayDeque<>();
        Threads closing = new Threads("a:1", run -> {
            if (last.size() == Threads.MOST) {
                throw new RejectedExecutionException();
            }
            last.add(run);
        });
        for (int i = 0; i < Threads.MOST + 10; i++) {
            int number = i;
            closing.execute(() -> ran.add(number), refusals::add);
        }

        last.getFirst().run();

        assertThat(refusals).hasSize(10);
    }
}
