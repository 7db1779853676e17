package io.holdfast.lock.threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.NoRoomForThreads;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class DaemonThreadsTest {

    private static final String NAME = "holdfast-tried-";

    private final ExecutorService pool = DaemonThreads.pool(2, NAME);
    private final BlockingQueue<String> done = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        pool.shutdown();
    }

    private static List<Thread> threads(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .toList();
    }

    private Runnable says(String word) {
        return () -> done.add(word);
    }

    private String nextDone() throws InterruptedException {
        return done.poll(1, TimeUnit.MINUTES);
    }

    @Test
    void thread_that_finds_no_room_starts_when_there_is_some_and_nobody_who_started_it_notices() throws Exception {
        Thread late = DaemonThreads.create(says("late"), NAME);
        try (var none = NoRoomForThreads.named(NAME)) {
            late.start();
            none.awaitRefusal();
            assertThat(late.isAlive()).isFalse();
            assertThat(done).isEmpty();
        }

        assertThat(nextDone()).isEqualTo("late");
        assertThatThrownBy(late::start).isInstanceOf(IllegalThreadStateException.class);
    }

    @Test
    void thread_that_waits_for_room_is_not_started_twice() throws Exception {
        Thread late = DaemonThreads.create(says("late"), NAME);
        try (var none = NoRoomForThreads.named(NAME)) {
            late.start();
            assertThatThrownBy(late::start).isInstanceOf(IllegalThreadStateException.class);
        }

        assertThat(nextDone()).isEqualTo("late");
    }

    @Test
    void pool_that_finds_no_room_runs_every_task_later_and_in_order() throws Exception {
        ExecutorService one = DaemonThreads.pool(1, NAME);
        try (var none = NoRoomForThreads.named(NAME)) {
            one.execute(says("1"));
            one.execute(says("2"));
            one.execute(says("3"));
            none.awaitRefusal();
        }

        assertThat(List.of(nextDone(), nextDone(), nextDone())).containsExactly("1", "2", "3");
        one.shutdown();
        assertThat(one.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void thread_of_a_pool_that_ends_it_does_not_wait_for_itself_but_others_do() throws Exception {
        CompletableFuture<Thread> ending = new CompletableFuture<>();
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        pool.execute(() -> {
            ending.complete(Thread.currentThread());
            ended.complete(DaemonThreads.end(Duration.ofSeconds(30), DaemonThreads.pool(1, NAME), pool));
        });
        assertThat(NewThread.stateAtRest(ending.join())).isEqualTo(Thread.State.TERMINATED);
        assertThat(ended.join()).isFalse();

        ExecutorService other = DaemonThreads.pool(1, NAME);
        CountDownLatch end = new CountDownLatch(1);
        other.execute(() -> await(end));
        Thread waiting = DaemonThreads.create(() -> DaemonThreads.end(Duration.ofDays(1), other), NAME);
        waiting.start();
        assertThat(NewThread.stateAtRest(waiting)).isEqualTo(Thread.State.TIMED_WAITING);
        end.countDown();
        waiting.join();
    }

    @Test
    void pool_has_as_many_threads_as_it_may_and_they_go_on_after_a_task_that_fails() throws Exception {
        CountDownLatch two = new CountDownLatch(2);
        pool.execute(() -> {
            throw new IllegalStateException("on purpose");
        });
        for (int i = 0; i < 2; i++) {
            pool.execute(() -> {
                two.countDown();
                await(two);
                done.add(Thread.currentThread().getName());
            });
        }

        assertThat(List.of(nextDone(), nextDone())).containsExactlyInAnyOrder(NAME + 1, NAME + 2);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void task_is_run_by_an_idle_thread_if_there_is_one() throws Exception {
        pool.execute(says("first"));
        assertThat(nextDone()).isEqualTo("first");
        Awaitility.await().until(() -> threads(NAME + 1).get(0).getState() == Thread.State.TIMED_WAITING);

        pool.execute(() -> done.add(Thread.currentThread().getName()));

        assertThat(nextDone()).isEqualTo(NAME + 1);
    }

    @Test
    void closed_pool_does_what_it_has_and_takes_no_more() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        ExecutorService one = DaemonThreads.pool(1, NAME);
        one.execute(() -> await(closed));
        one.execute(says("queued"));
        one.shutdown();
        closed.countDown();

        assertThat(nextDone()).isEqualTo("queued");
        assertThat(one.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertThat(one.isTerminated()).isTrue();
        assertThatThrownBy(() -> one.execute(says("late"))).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void task_that_the_executor_does_not_take_for_whatever_reason_runs_here() throws Exception {
        DaemonThreads.executeOrRun(
                task -> {
                    throw new AssertionError("a guard against blocking calls");
                },
                () -> done.add(Thread.currentThread().getName()));

        assertThat(nextDone()).isEqualTo(Thread.currentThread().getName());
    }

    /** Among others, those of Reactor, on which a guard like BlockHound throws. */
    @Test
    void threads_that_hand_over_work_never_park() throws Exception {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        int callers = 4;
        int tasks = 20_000;
        CountDownLatch left = new CountDownLatch(callers * tasks);
        Collection<Long> waits = new ConcurrentLinkedQueue<>();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            Thread caller = new Thread(() -> {
                for (int j = 0; j < tasks; j++) {
                    pool.execute(left::countDown);
                }
                waits.add(threads.getThreadInfo(Thread.currentThread().getId()).getWaitedCount());
            });
            caller.start();
            all.add(caller);
        }
        for (Thread caller : all) {
            caller.join();
        }

        await(left);
        assertThat(waits).hasSize(callers).containsOnly(0L);
    }

    @Test
    void timer_runs_what_is_due_in_the_order_of_time_and_nothing_that_was_cancelled() throws Exception {
        DaemonThreads.Timer timer = DaemonThreads.timer();
        CountDownLatch set = new CountDownLatch(1);
        timer.after(0, () -> await(set));
        Runnable cancel = timer.after(1, says("cancelled"));
        timer.after(TimeUnit.MILLISECONDS.toNanos(1), says("second"));
        timer.after(
                -TimeUnit.HOURS.toNanos(1),
                () -> { // due first, however long this thread stands still
                    done.add("first");
                    throw new IllegalStateException("on purpose");
                });
        cancel.run();
        set.countDown();

        assertThat(List.of(nextDone(), nextDone())).containsExactly("first", "second");
        timer.close();
    }

    /** Some of so many are due in the same nanosecond. */
    @Test
    void timer_runs_all_that_is_due_at_the_same_time() throws Exception {
        int many = 20_000;
        DaemonThreads.Timer timer = DaemonThreads.timer();
        CountDownLatch ran = new CountDownLatch(many);
        long due = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        for (int i = 0; i < many; i++) {
            timer.after(due - System.nanoTime(), ran::countDown);
        }

        assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
        timer.close();
    }

    @Test
    void closed_timer_runs_nothing() throws Exception {
        DaemonThreads.Timer closed = DaemonThreads.timer();
        DaemonThreads.Timer other = DaemonThreads.timer();
        CountDownLatch set = new CountDownLatch(1);
        other.after(0, () -> await(set));
        closed.after(1, says("never"));
        closed.close();
        closed.after(1, says("never"));
        other.after(2, says("other"));
        set.countDown();

        assertThat(nextDone()).isEqualTo("other");
        assertThat(done).isEmpty();
        other.close();
    }

    @Test
    void threads_have_the_class_loader_of_whoever_starts_the_work_also_by_a_timer() throws Exception {
        ClassLoader mine = new ClassLoader(getClass().getClassLoader()) {};
        BlockingQueue<ClassLoader> seen = new LinkedBlockingQueue<>();
        Thread here = Thread.currentThread();
        ClassLoader former = here.getContextClassLoader();
        here.setContextClassLoader(mine);
        pool.execute(() -> seen.add(Thread.currentThread().getContextClassLoader()));
        DaemonThreads.Timer timer = DaemonThreads.timer();
        timer.after(
                0,
                () -> DaemonThreads.create(() -> seen.add(Thread.currentThread().getContextClassLoader()), NAME)
                        .start());
        here.setContextClassLoader(former);

        assertThat(seen.poll(1, TimeUnit.MINUTES)).isSameAs(mine);
        assertThat(seen.poll(1, TimeUnit.MINUTES)).isSameAs(mine);
        timer.close();
    }

    @Test
    void many_threads_that_wait_for_room_all_start() throws Exception {
        AtomicInteger started = new AtomicInteger();
        try (var none = NoRoomForThreads.named(NAME)) {
            IntStream.range(0, 100)
                    .forEach(i -> DaemonThreads.create(started::incrementAndGet, NAME + i)
                            .start());
            none.awaitRefusal();
        }

        Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> started.get() == 100);
    }

    @Test
    void pool_and_timer_go_on_after_a_checked_exception() throws Exception {
        ExecutorService one = DaemonThreads.pool(1, NAME);
        one.execute(() -> throwAny(new Exception("on purpose")));
        one.execute(says("pool"));
        assertThat(nextDone()).isEqualTo("pool");

        DaemonThreads.Timer timer = DaemonThreads.timer();
        timer.after(0, () -> throwAny(new Exception("on purpose")));
        timer.after(1, says("timer"));
        assertThat(nextDone()).isEqualTo("timer");
        one.shutdown();
        assertThat(one.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        timer.close();
    }

    /** As Kotlin and Lombok do. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void throwAny(Throwable any) throws E {
        throw (E) any;
    }

    @Test
    void first_thread_of_a_client_starts_later_too() throws Exception {
        try (Fresh fresh = new Fresh()) {
            AutoCloseable timer = fresh.timer();
            fresh.room(name -> false);
            fresh.thread(says("late")).start();
            assertThat(done).isEmpty();
            fresh.room(name -> true);

            assertThat(nextDone()).isEqualTo("late");
            timer.close();
            Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> fresh.timerThread() == null);
        }
    }

    @Test
    void thread_is_tried_again_until_there_is_room() throws Exception {
        try (Fresh fresh = new Fresh()) {
            AutoCloseable timer = fresh.timer();
            AtomicInteger tries = new AtomicInteger();
            fresh.room(name -> tries.incrementAndGet() > 3);

            fresh.thread(says("late")).start();

            assertThat(nextDone()).isEqualTo("late");
            assertThat(tries).hasValue(4);
            timer.close();
        }
    }

    @Test
    void timer_waits_for_room_for_its_thread() throws Exception {
        try (Fresh fresh = new Fresh()) {
            AtomicInteger tries = new AtomicInteger();
            fresh.room(name -> tries.incrementAndGet() > 2);

            fresh.timer().close();

            assertThat(tries).hasValue(3);
        }
    }

    @Test
    void without_room_for_its_thread_there_is_no_timer_and_an_interrupt_is_kept() throws Exception {
        try (Fresh fresh = new Fresh()) {
            fresh.room(name -> false);
            Thread.currentThread().interrupt();

            assertThatThrownBy(fresh::timer)
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "Cannot start thread holdfast-timer, which the lock client needs: the thread limit of this"
                                    + " user, container or machine has been reached. Raise the limit, or use fewer threads.");
            assertThat(Thread.interrupted()).isTrue();

            fresh.room(name -> true);
            fresh.timer().close();
        }
    }

    /** The class, as if it was not used before in this JVM. */
    private static final class Fresh extends ClassLoader implements AutoCloseable {

        private final Class<?> threads;

        Fresh() throws ClassNotFoundException {
            super(DaemonThreads.class.getClassLoader());
            threads = loadClass(DaemonThreads.class.getName());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(DaemonThreads.class.getName()) || name.contains("Test")) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = Objects.requireNonNull(file).readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        void room(Predicate<String> forName) throws ReflectiveOperationException {
            Field field = threads.getDeclaredField("withoutRoom");
            field.setAccessible(true);
            field.set(null, forName.negate());
        }

        AutoCloseable timer() throws ReflectiveOperationException {
            return (AutoCloseable) threads.getMethod("timer").invoke(null);
        }

        Thread thread(Runnable work) throws ReflectiveOperationException {
            return (Thread)
                    threads.getMethod("create", Runnable.class, String.class).invoke(null, work, NAME);
        }

        @Nullable
        Thread timerThread() {
            return threads("holdfast-timer").stream()
                    .filter(thread -> thread.getContextClassLoader() == this)
                    .findAny()
                    .orElse(null);
        }

        @Override
        public void close() throws ReflectiveOperationException {
            room(name -> true);
        }
    }
}
