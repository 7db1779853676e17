package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.testing.NewThread;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Work that goes on after its method has returned. */
class AsyncExecutionTest extends EngineFixture {

    private static final int MANY = 100;

    /** The result of work that has started under the lock, and goes on until the stage completes. */
    private CompletableFuture<String> started(CompletableFuture<String> stage) {
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<String> result = locks.executeAsync(KEY, () -> {
            started.countDown();
            return stage;
        });
        Awaitility.await().until(() -> started.getCount() == 0);
        return result;
    }

    @Test
    void asynchronous_work_holds_the_lock_until_its_stage_completes() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> result = started(stage);
        assertThat(isFree()).isFalse();

        stage.complete("done");

        assertThat(result.join()).isEqualTo("done");
        assertThat(isFree()).isTrue();
    }

    @Test
    void asynchronous_work_is_given_the_lock_that_it_holds() {
        AtomicReference<LockHandle> given = new AtomicReference<>();
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> result = locks.executeAsync(LockRequest.of(KEY), lock -> {
            given.set(lock);
            return stage;
        });
        Awaitility.await().until(() -> given.get() != null);
        assertThat(given.get().isHeld()).isTrue();
        assertThat(given.get().key().value()).isEqualTo(KEY);

        stage.complete("done");

        assertThat(result.join()).isEqualTo("done");
        assertThat(given.get().isHeld()).isFalse();
    }

    @Test
    void asynchronous_failure_frees_the_lock_and_is_passed_on() {
        CompletableFuture<String> failed =
                locks.executeAsync(KEY, () -> CompletableFuture.failedFuture(new IOException("mine")));
        assertThatThrownBy(failed::join).hasRootCauseInstanceOf(IOException.class);
        CompletableFuture<String> threw = locks.executeAsync(KEY, () -> {
            throw new IllegalStateException("mine");
        });
        assertThatThrownBy(threw::join).hasRootCauseInstanceOf(IllegalStateException.class);
        CompletableFuture<String> nothing = locks.executeAsync(KEY, () -> null);
        assertThatThrownBy(nothing::join).hasRootCauseInstanceOf(NullPointerException.class);

        assertThat(isFree()).isTrue();
    }

    @Test
    void asynchronous_loss_is_reported_by_the_result() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> result = started(stage);
        time.pass(Duration.ofMinutes(1));

        stage.complete("done");

        assertThatThrownBy(result::join).hasCauseInstanceOf(LockLostException.class);
    }

    @Test
    void asynchronous_contention_is_reported_by_the_result() {
        others.acquire(KEY);

        assertThatThrownBy(locks.executeAsync(KEY, () -> CompletableFuture.completedFuture(1))::join)
                .hasCauseInstanceOf(LockNotAcquiredException.class);
    }

    @Test
    void cancelled_asynchronous_wait_ends_and_leaves_nothing_behind() {
        LockEngine waiting = LockEngine.builder(store).build();
        LockHandle other = others.acquire(KEY);
        CompletableFuture<Integer> result = waiting.executeAsync(
                LockRequest.of(KEY).waitFor(Duration.ofDays(1)), () -> CompletableFuture.completedFuture(1));
        Awaitility.await().until(() -> waiting.inspect(KEY).waiters() == 1);

        result.cancel(true);

        Awaitility.await().until(() -> waiting.inspect(KEY).waiters() == 0);
        assertThat(other.isHeld()).isTrue();
        waiting.close();
    }

    @Test
    void asynchronous_work_on_a_closed_client_fails_by_its_result() {
        locks.close();

        assertThatThrownBy(locks.executeAsync(KEY, () -> CompletableFuture.completedFuture(1))::join)
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void asynchronous_result_completes_although_the_client_was_closed_meanwhile() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> result = started(stage);
        locks.close();

        stage.complete("done");

        assertThatThrownBy(result::join).hasCauseInstanceOf(LockLostException.class);
    }

    @Test
    void work_that_gives_its_lock_back_early_is_followed_all_the_same() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> result = locks.executeAsync(LockRequest.of(KEY), lock -> {
            lock.close();
            return stage;
        });

        stage.complete("done");

        assertThat(result.orTimeout(1, TimeUnit.MINUTES).join()).isEqualTo("done");
        assertThat(isFree()).isTrue();
    }

    @Test
    void work_sees_no_thread_local_of_whoever_started_its_thread() {
        InheritableThreadLocal<String> user = new InheritableThreadLocal<>();
        user.set("alice");

        AtomicReference<String> seen = new AtomicReference<>("not asked");
        locks.executeAsync(KEY, () -> {
                    seen.set(user.get());
                    return CompletableFuture.completedFuture(1);
                })
                .join();

        assertThat(seen.get()).isNull();
    }

    /** From Java 19 on, threads that inherit nothing have the system's. */
    @Test
    void work_keeps_the_class_loader_of_the_application() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        ClassLoader own = new ClassLoader(before) {};
        AtomicReference<ClassLoader> seen = new AtomicReference<>();
        try {
            thread.setContextClassLoader(own);
            locks.executeAsync(KEY, () -> {
                        seen.set(Thread.currentThread().getContextClassLoader());
                        return CompletableFuture.completedFuture(1);
                    })
                    .join();
        } finally {
            thread.setContextClassLoader(before);
        }

        assertThat(seen.get()).isSameAs(own);
    }

    /** Else they compete for the connections of the store, and some get none in time. */
    @Test
    void results_that_are_there_at_once_are_given_back_by_few_threads() {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        List<CompletableFuture<Integer>> results = IntStream.range(0, MANY)
                .mapToObj(each -> locks.executeAsync("order:" + each, () -> stage))
                .toList();
        Awaitility.await()
                .until(() -> locks.held().size() == MANY && locks.waiting().isEmpty());
        store.beforeRelease = () -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            LockSupport.parkNanos(1_000_000);
            now.decrementAndGet();
        };

        Thread here = Thread.currentThread();
        Set<Thread> reported = ConcurrentHashMap.newKeySet();
        results.forEach(each -> each.thenAccept(value -> reported.add(Thread.currentThread())));
        stage.complete(1);

        CompletableFuture.allOf(results.toArray(CompletableFuture[]::new))
                .orTimeout(1, TimeUnit.MINUTES)
                .join();
        assertThat(most).hasValueBetween(1, 8);
        assertThat(locks.held()).isEmpty();
        assertThat(reported).doesNotContain(here);
    }

    @Test
    void those_who_go_on_with_results_may_block_and_hold_up_no_release() {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        CountDownLatch blocking = new CountDownLatch(MANY);
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < MANY; i++) {
            locks.executeAsync("order:" + i, () -> stage).thenAccept(value -> {
                blocking.countDown();
                await(end);
            });
        }
        Awaitility.await().until(() -> locks.held().size() == MANY);
        stage.complete(1);
        await(blocking);

        assertThat(locks.executeAsync("another", () -> CompletableFuture.completedFuture(2))
                        .orTimeout(1, TimeUnit.MINUTES)
                        .join())
                .isEqualTo(2);
        end.countDown();
    }

    /** Otherwise it would wait for its own end. */
    @Test
    void code_on_a_thread_of_the_client_that_closes_it_does_not_wait_for_itself() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<Thread> closing = new CompletableFuture<>();
        CompletableFuture<Void> closed = started(stage).thenRun(() -> {
            closing.complete(Thread.currentThread());
            locks.close();
        });
        stage.complete("done");

        assertThat(NewThread.stateAtRest(closing.join())).isEqualTo(Thread.State.TERMINATED);
        assertThat(closed).isCompleted();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void one_more_call_than_may_wait_fails_at_once() {
        LockEngine bounded = LockEngine.builder(store).maxAsyncWaiting(2).build();
        LockRequest patient = LockRequest.of(KEY).waitFor(Duration.ofDays(1));
        LockHandle other = others.acquire(KEY);
        CompletableFuture<Integer> first = bounded.executeAsync(patient, lock -> CompletableFuture.completedFuture(1));
        CompletableFuture<Integer> second = bounded.executeAsync(patient, lock -> CompletableFuture.completedFuture(2));

        assertThatThrownBy(bounded.executeAsync(patient, lock -> CompletableFuture.completedFuture(3))::join)
                .hasCauseInstanceOf(LockOverloadException.class)
                .hasMessageContaining("2 asynchronous calls (executeAsync")
                .hasMessageContaining("holdfast.async.max-waiting");

        Awaitility.await().until(() -> bounded.waiting().size() == 2);
        second.cancel(true);
        Awaitility.await().until(() -> bounded.waiting().size() == 1);
        other.close();
        assertThat(first.orTimeout(1, TimeUnit.MINUTES).join()).isEqualTo(1);
        for (int i = 0; i < 10; i++) {
            CompletableFuture<Integer> stage = new CompletableFuture<>();
            CompletableFuture<Integer> holding = bounded.executeAsync("order:" + i, () -> stage);
            Awaitility.await().until(() -> bounded.held().size() == 1);
            stage.complete(i);
            assertThat(holding.orTimeout(1, TimeUnit.MINUTES).join()).isEqualTo(i);
        }
        bounded.close();
    }

    @Test
    void executor_that_fails_keeps_no_place() {
        LockEngine failing = LockEngine.builder(store)
                .maxAsyncWaiting(1)
                .executor(task -> {
                    throw new IllegalStateException("no thread (on purpose)");
                })
                .build();
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(failing.executeAsync(KEY, () -> CompletableFuture.completedFuture(1))::join)
                    .hasRootCauseMessage("no thread (on purpose)");
        }
        failing.close();
    }

    @Test
    void lock_of_work_that_never_began_is_not_kept_for_its_minimum_hold() {
        assertNotKept("rejected", (call, task) -> {
            throw new RejectedExecutionException("on purpose");
        });
        assertNotKept("cancelled before its work", (call, task) -> {
            call.cancel(true);
            task.run();
        });
        assertNotKept("cancelled when the lock was granted", (call, task) -> {});
    }

    private void assertNotKept(String key, BiConsumer<CompletableFuture<String>, Runnable> executor) {
        CompletableFuture<CompletableFuture<String>> call = new CompletableFuture<>();
        try (LockEngine own = VirtualTime.builder(store)
                .ticker(time)
                .executor(task -> executor.accept(call.join(), task))
                .build()) {
            if (key.endsWith("granted")) {
                store.after = () -> {
                    store.after = () -> {};
                    call.join().cancel(true);
                };
            }
            call.complete(own.executeAsync(LockRequest.of(key).minHold(Duration.ofMinutes(10)), lock -> {
                throw new AssertionError("The work has begun");
            }));

            Awaitility.await(key).until(call.join()::isDone);
            Awaitility.await(key).until(() -> others.tryAcquire(key).isPresent());
        }
    }

    @Test
    void fewer_than_one_call_cannot_wait() {
        assertThatThrownBy(() -> LockEngine.builder(store).maxAsyncWaiting(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 or more");
    }

    @Test
    void lock_is_given_back_although_all_threads_of_the_executor_wait_for_it() {
        ExecutorService single = Executors.newSingleThreadExecutor();
        LockEngine bounded = LockEngine.builder(store).executor(single).build();
        LockRequest patient = LockRequest.of(KEY).waitFor(Duration.ofDays(1));
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> first = bounded.executeAsync(patient, lock -> stage);
        CompletableFuture<String> second =
                bounded.executeAsync(patient, lock -> CompletableFuture.completedFuture("second"));
        Awaitility.await().until(() -> bounded.waiting().size() == 1);

        stage.complete("first");

        assertThat(first.orTimeout(1, TimeUnit.MINUTES).join()).isEqualTo("first");
        assertThat(second.orTimeout(1, TimeUnit.MINUTES).join()).isEqualTo("second");
        bounded.close();
        single.shutdownNow();
    }

    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, IOException.class})
    void request_that_cannot_be_made_keeps_no_place(Class<? extends Throwable> kind) {
        LockEngine single = LockEngine.builder(store)
                .ticker(time)
                .maxAsyncWaiting(1)
                .requests(request -> {
                    throwNew(kind);
                    return request;
                })
                .build();
        for (int i = 0; i < 2; i++) {
            assertThat(single.executeAsync(LockRequest.of(KEY), lock -> CompletableFuture.completedFuture(1)))
                    .failsWithin(Duration.ofMinutes(1))
                    .withThrowableThat()
                    .havingRootCause()
                    .isInstanceOf(kind);
        }
        single.close();
    }

    /** Each refuses in its way to say when it is complete. */
    private static Stream<CompletableFuture<String>> refusingStages() {
        return Stream.of(
                new CompletableFuture<>() {
                    @Override
                    public CompletableFuture<String> whenCompleteAsync(
                            BiConsumer<? super String, ? super Throwable> action, Executor executor) {
                        throw new UnsupportedOperationException("on purpose");
                    }
                },
                new CompletableFuture<>() {
                    @Override
                    public CompletableFuture<String> whenCompleteAsync(
                            BiConsumer<? super String, ? super Throwable> action, Executor executor) {
                        throw new AssertionError("on purpose");
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("refusingStages")
    void stage_that_accepts_no_dependents_ends_the_call_and_frees_the_lock(CompletableFuture<String> stage) {
        CompletableFuture<String> result = locks.executeAsync(KEY, () -> stage);

        assertThatThrownBy(() -> result.get(1, TimeUnit.MINUTES))
                .cause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "The lock was released although its work may still be running, because the stage of that work, a "
                                + stage.getClass().getName()
                                + ", accepts no dependents. Return a CompletableFuture instead.")
                .hasRootCauseMessage("on purpose");
        assertThat(isFree()).isTrue();
    }

    /** Kotlin has no checked exceptions. */
    @Test
    void checked_exception_of_the_function_ends_the_call_and_frees_the_lock() {
        CompletableFuture<String> result = locks.executeAsync(KEY, () -> {
            throw AsyncExecutionTest.<RuntimeException>unchecked(new IOException("mine"));
        });

        assertThatThrownBy(() -> result.get(1, TimeUnit.MINUTES)).cause().isInstanceOf(IOException.class);
        assertThat(isFree()).isTrue();
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E unchecked(Throwable failure) throws E {
        throw (E) failure;
    }

    @ParameterizedTest
    @ValueSource(classes = {AssertionError.class, RejectedExecutionException.class, OutOfMemoryError.class})
    void executor_that_throws_whatever_ends_the_call_and_frees_the_lock(Class<? extends Throwable> kind) {
        try (LockEngine own = VirtualTime.builder(store)
                .ticker(time)
                .pause(pause)
                .executor(task -> throwNew(kind))
                .build()) {
            CompletableFuture<String> result =
                    own.executeAsync(KEY, () -> CompletableFuture.completedFuture("never begins"));

            assertThatThrownBy(() -> result.get(1, TimeUnit.MINUTES)).hasRootCauseInstanceOf(kind);
            assertThat(isFree()).isTrue();
        }
    }

    private static void throwNew(Class<? extends Throwable> kind) {
        try {
            throw AsyncExecutionTest.<RuntimeException>unchecked(
                    kind.getDeclaredConstructor().newInstance());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
