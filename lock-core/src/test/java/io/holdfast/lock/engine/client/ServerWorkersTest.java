package io.holdfast.lock.engine.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import io.holdfast.lock.threads.DaemonThreads;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Work for several servers in the background. */
@Timeout(60)
class ServerWorkersTest {

    private final Queue<String> done = new ConcurrentLinkedQueue<>();
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    private final CountDownLatch gate = new CountDownLatch(1);
    private final ServerWorkers<String> workers = workers(this::work);

    private static ServerWorkers<String> workers(Predicate<List<String>> job) {
        return new ServerWorkers<>(DaemonThreads.pool(10, "test-worker", Duration.ofMillis(20)), 100, job);
    }

    private boolean work(List<String> work) {
        threads.add(Thread.currentThread());
        work.forEach(this::work);
        return !work.contains("refused");
    }

    private void work(String piece) {
        switch (piece) {
            case "hang" -> await(gate);
            case "fail" -> throw new OutOfMemoryError("on purpose");
            case "interrupt" -> Thread.currentThread().interrupt();
            default -> done.add(piece + (Thread.currentThread().isInterrupted() ? " interrupted" : ""));
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void eventuallyDone(String... pieces) {
        Awaitility.await().untilAsserted(() -> assertThat(done).containsExactly(pieces));
    }

    @AfterEach
    void close() {
        gate.countDown();
        workers.close();
    }

    private static int size(ServerWorkers<?> workers) {
        synchronized (workers) {
            return workers.workers.size();
        }
    }

    @Test
    void server_that_hangs_holds_up_no_other_one() {
        workers.add("a", List.of("hang", "after"));
        workers.add("b", List.of("other"));

        eventuallyDone("other");
        gate.countDown();
        eventuallyDone("other", "after");
    }

    @Test
    void worker_does_no_more_than_a_portion_together() {
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        try (ServerWorkers<String> counting = workers(work -> {
            sizes.add(work.size());
            await(gate);
            return true;
        })) {
            counting.add("a", List.of("first"));
            Awaitility.await().until(() -> !sizes.isEmpty());
            counting.add("a", Collections.nCopies(250, "piece"));
            gate.countDown();

            Awaitility.await().untilAsserted(() -> assertThat(sizes).containsExactly(1, 100, 100, 50));
        }
    }

    @Test
    void worker_without_work_ends_with_its_thread_and_begins_again() throws InterruptedException {
        workers.add("a", List.of("first"));
        Awaitility.await().until(() -> size(workers) == 0);
        threads.remove().join();

        workers.add("a", List.of("second"));

        eventuallyDone("first", "second");
    }

    /** However often a worker ends just when work comes. */
    @Test
    void no_work_is_lost_when_a_worker_ends() {
        try (ServerWorkers<String> hasty = workers(this::work)) {
            for (int i = 0; i < 2000; i++) {
                hasty.add("a", List.of("piece"));
                if (i % 3 == 0) {
                    Thread.yield();
                }
            }
            Awaitility.await().until(() -> done.size() == 2000);
        }
    }

    @Test
    void error_does_not_end_the_worker() {
        workers.add("a", List.of("fail"));
        Awaitility.await().until(() -> !threads.isEmpty());

        workers.add("a", List.of("next"));

        eventuallyDone("next");
    }

    @Test
    void error_that_cannot_be_logged_does_not_end_the_worker_either() {
        Logger log = (Logger) LoggerFactory.getLogger("io.holdfast.lock");
        Appender<ILoggingEvent> full = mock();
        doThrow(new IllegalStateException("No space left on device")).when(full).doAppend(any());
        log.addAppender(full);
        try {
            workers.add("a", List.of("fail"));
            verify(full, timeout(10_000).atLeastOnce()).doAppend(any());
        } finally {
            log.detachAppender(full);
        }

        workers.add("a", List.of("next"));

        eventuallyDone("next");
    }

    @Test
    void interrupt_reaches_no_work_that_comes_later() {
        workers.add("a", List.of("interrupt"));
        Awaitility.await().until(() -> !threads.isEmpty());

        workers.add("a", List.of("next"));

        eventuallyDone("next");
    }

    /** Work that is refused is added again before the rest, as a failed cleanup is. So the worker never ends in between. */
    private static List<Long> timesOfRefusals(int times, CountDownLatch refused) throws InterruptedException {
        List<Long> at = new CopyOnWriteArrayList<>();
        AtomicReference<ServerWorkers<String>> workers = new AtomicReference<>();
        workers.set(workers(work -> {
            at.add(System.nanoTime());
            if (at.size() <= times) {
                workers.get().add("a", work);
                refused.countDown();
                return false;
            }
            return true;
        }));
        workers.get().add("a", List.of("refused"));
        refused.await();
        workers.get().finish(Duration.ofSeconds(30));
        return at;
    }

    /** At least 37 ms, then 75, 150 and 300. */
    @Test
    void worker_whose_work_is_refused_rests_twice_as_long_each_time() throws InterruptedException {
        List<Long> at = timesOfRefusals(5, new CountDownLatch(5));

        for (int i = 0; i < 4; i++) {
            assertThat(Duration.ofNanos(at.get(i + 1) - at.get(i))).isGreaterThan(Duration.ofMillis(37L << i));
        }
    }

    /** The rest would last for 300 ms or more. A machine may be that slow, but not each time. */
    @Test
    void worker_that_rests_continues_at_once_when_it_has_to_end() throws InterruptedException {
        Duration shortest = Duration.ofDays(1);
        for (int i = 0; i < 20 && shortest.toMillis() >= 300; i++) {
            List<Long> at = timesOfRefusals(4, new CountDownLatch(4));
            assertThat(at).hasSize(5);
            Duration last = Duration.ofNanos(at.get(4) - at.get(3));
            shortest = last.compareTo(shortest) < 0 ? last : shortest;
        }

        assertThat(shortest).isLessThan(Duration.ofMillis(300));
    }

    @Test
    void what_is_waiting_is_done_at_the_end_and_nothing_more_is_taken() {
        workers.add("a", List.of("hang"));
        Awaitility.await().until(() -> !threads.isEmpty());
        workers.add("a", List.of("waiting"));
        gate.countDown();

        workers.finish(Duration.ofSeconds(30));

        assertThat(done).containsExactly("waiting");
        assertThat(workers.add("a", List.of("late"))).isFalse();
    }

    @Test
    void worker_takes_work_and_stays_while_it_is_done() {
        assertThat(workers.add("a", List.of("hang"))).isTrue();

        assertThat(size(workers)).isEqualTo(1);
    }

    @Test
    void closing_ends_the_workers() {
        workers.add("a", List.of("hang"));
        Awaitility.await().until(() -> !threads.isEmpty());
        workers.add("a", List.of("waiting"));

        workers.close();

        Awaitility.await().until(() -> size(workers) == 0);
        assertThat(done).isEmpty();
    }

    @Test
    void interrupt_ends_the_wait_for_the_end_and_is_kept_for_the_caller() throws InterruptedException {
        workers.add("a", List.of("hang"));
        Awaitility.await().until(() -> !threads.isEmpty());
        workers.add("a", List.of("waiting"));
        AtomicBoolean interrupted = new AtomicBoolean();
        Thread closing = new Thread(() -> {
            workers.finish(Duration.ofDays(1));
            interrupted.set(Thread.interrupted());
        });
        closing.start();
        Awaitility.await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);

        closing.interrupt();

        closing.join();
        assertThat(done).isEmpty();
        assertThat(interrupted).isTrue();
    }

    @Test
    void interrupt_of_before_does_not_end_the_wait_for_the_end() {
        workers.add("a", List.of("piece"));
        Thread.currentThread().interrupt();

        workers.finish(Duration.ofDays(1));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(done).containsExactly("piece");
    }

    @Test
    void what_is_not_done_in_time_at_the_end_is_dropped() {
        workers.add("a", List.of("hang"));
        Awaitility.await().until(() -> !threads.isEmpty());
        workers.add("a", List.of("waiting", "waiting"));

        workers.finish(Duration.ofMillis(1));

        Awaitility.await().until(() -> size(workers) == 0);
        assertThat(done).isEmpty();
    }
}
