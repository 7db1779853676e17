package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which trace is recorded with a lock, and for whose lock a caller has waited. Names of traces are single digits. */
@Timeout(60)
class TracesTest {

    private static final String KEY = "order:42";
    private static final LockRequest ORDER = LockRequest.of(KEY).waitFor(Duration.ofSeconds(30));

    private static final ThreadLocal<@Nullable String> SPAN = new ThreadLocal<>();

    private final InMemoryLockStore memory = new InMemoryLockStore();
    private final StoreSpy store = new StoreSpy(memory);

    /** The traces for which the callers of each trace have waited, "" for none. */
    private final Map<String, String> blockers = new ConcurrentHashMap<>();

    /** Where the callers of each trace stood in line. */
    private final Map<String, Integer> places = new ConcurrentHashMap<>();

    private final LockEngine locks = client();
    private final LockEngine others = client();

    private LockEngine client() {
        return LockEngine.builder(store)
                .traceparent(SPAN::get)
                .listener(event -> {
                    if (event instanceof LockEvent.Acquired acquired) {
                        blockers.put(here(), traceOf(acquired.blockedBy()));
                        places.put(here(), acquired.placeInLine());
                    } else if (event instanceof LockEvent.NotAcquired refused) {
                        places.put(here(), refused.placeInLine());
                    }
                })
                .build();
    }

    private static String here() {
        String span = SPAN.get();
        return span == null ? "" : span.substring(34, 35);
    }

    private static String traceOf(Optional<LockHolder> holder) {
        return holder.flatMap(LockHolder::traceId).map(id -> id.substring(31)).orElse("");
    }

    private static String traceparent(int trace) {
        return "00-" + "0".repeat(31) + trace + "-" + "0".repeat(15) + trace + "-01";
    }

    private static <T> CompletableFuture<T> in(int trace, Supplier<T> work) {
        return NewThread.start(() -> {
            SPAN.set(traceparent(trace));
            return work.get();
        });
    }

    private CompletableFuture<LockHandle> waiting(LockEngine client, int trace) {
        int before = client.waiting().size();
        CompletableFuture<LockHandle> acquired =
                in(trace, () -> client.acquire(ORDER).detach());
        await().until(() -> client.waiting().size() > before);
        return acquired;
    }

    private String recorded() {
        return traceOf(memory.inspect(LockKey.of(KEY)).holder());
    }

    @AfterEach
    void close() {
        SPAN.remove();
        locks.close();
        others.close();
    }

    @Test
    void lock_is_held_in_the_trace_of_its_caller() {
        LockHandle held = in(1, () -> locks.acquire(ORDER).detach()).join();

        assertThat(recorded()).isEqualTo("1");
        assertThat(blockers).containsEntry("1", "");
        held.close();
    }

    @Test
    void nothing_is_recorded_without_a_trace() {
        LockHandle held = NewThread.call(() -> locks.acquire(ORDER).detach());

        assertThat(store.acquires)
                .allSatisfy(
                        request -> assertThat(request.holder().traceparent()).isNull());
        assertThat(recorded()).isEmpty();
        held.close();
    }

    @Test
    void asynchronous_caller_is_recorded_with_the_trace_in_which_it_called() {
        SPAN.set(traceparent(1));
        var one = locks.executeAsync(ORDER, lock -> new CompletableFuture<>());
        var several = locks.executeAsync(
                LockRequest.ofAll(List.of("a", "b")).waitFor(Duration.ofSeconds(30)),
                lock -> new CompletableFuture<>());
        await().until(() -> locks.held().size() == 3);

        assertThat(store.acquires)
                .extracting(request -> request.holder().traceparent())
                .containsOnly(traceparent(1));
        one.cancel(true);
        several.cancel(true);
    }

    @Test
    void several_locks_that_are_acquired_one_after_another_are_recorded_with_the_same_trace() {
        store.oneByOne = true;
        SPAN.set(traceparent(1));
        var several = locks.executeAsync(
                LockRequest.ofAll(List.of("a", "b")).waitFor(Duration.ofSeconds(30)),
                lock -> new CompletableFuture<>());
        await().until(() -> locks.held().size() == 2);

        assertThat(store.acquires)
                .hasSize(2)
                .extracting(request -> request.holder().traceparent())
                .containsOnly(traceparent(1));
        several.cancel(true);
    }

    @Test
    void waiter_of_another_client_has_waited_for_the_holder() throws Exception {
        LockHandle first = in(1, () -> locks.acquire(ORDER).detach()).join();
        CompletableFuture<LockHandle> second = waiting(others, 2);
        first.close();
        second.get(30, TimeUnit.SECONDS).close();

        assertThat(blockers).containsEntry("2", "1");
    }

    /** The store has one entry for callers of one client that want the same, and each fair one has an entry of its own. */
    @Test
    void place_in_line_counts_callers_of_the_same_client_and_entries_at_the_store() throws Exception {
        RunningTime.withoutPause(this::countPlaces);
    }

    private void countPlaces() {
        places.clear();
        LockRequest fair = ORDER.fair(true);
        try (LockEngine third = client()) {
            LockHandle first = in(1, () -> locks.acquire(ORDER).detach()).join();
            List<CompletableFuture<?>> released = new ArrayList<>();
            try (first) {
                released.add(waiting(others, 2).thenAccept(LockHandle::close));
                released.add(waiting(others, 3).thenAccept(LockHandle::close));
                in(7, () -> others.tryAcquire(ORDER.waitFor(Duration.ofMillis(20))))
                        .join();
                released.add(waiting(locks, 4).thenAccept(LockHandle::close));
                released.add(waiting(third, 5).thenAccept(LockHandle::close));
                released.add(in(6, () -> others.acquire(fair).detach()).thenAccept(LockHandle::close));
                await().until(() -> memory.inspect(LockKey.of(KEY)).queue().size() == 3);
                in(8, () -> third.tryAcquire(ORDER.waitFor(Duration.ZERO))).join();
            }
            released.forEach(CompletableFuture::join);
        }

        assertThat(places).isEqualTo(Map.of("1", 0, "2", 1, "3", 2, "4", 1, "5", 2, "6", 3, "7", 3, "8", 0));
    }

    @Test
    void waiter_that_is_refused_names_the_trace_of_the_holder() {
        LockHandle held = in(1, () -> locks.acquire(ORDER).detach()).join();
        LockNotAcquiredException refused = catchThrowableOfType(
                LockNotAcquiredException.class, () -> others.acquire(ORDER.waitFor(Duration.ofMillis(20))));
        LockNotAcquiredException inSameClient = catchThrowableOfType(
                LockNotAcquiredException.class, () -> locks.acquire(ORDER.waitFor(Duration.ofMillis(20))));

        assertThat(traceOf(refused.holder())).isEqualTo("1");
        assertThat(traceOf(inSameClient.holder())).isEqualTo("1");
        assertThat(refused).hasMessageContaining(", trace " + "0".repeat(31) + "1)");
        held.close();
    }

    /** The second one asks the store with a third one behind it, so it may hand the lock to that one without the store. */
    @Test
    void thread_that_is_handed_the_lock_has_waited_for_the_one_that_hands_it() throws Exception {
        LockHandle first = in(1, () -> locks.acquire(ORDER).detach()).join();
        CompletableFuture<LockHandle> second = waiting(locks, 2);
        CompletableFuture<LockHandle> third = waiting(locks, 3);
        first.close();
        LockHandle handed = second.get(30, TimeUnit.SECONDS);
        long calls = store.acquires.size();
        handed.close();
        LockHandle last = third.get(30, TimeUnit.SECONDS);

        assertThat(store.acquires).hasSize((int) calls); // it was handed off
        assertThat(blockers).containsEntry("2", "1").containsEntry("3", "2");
        assertThat(recorded()).isEmpty(); // rather than that of the second one
        assertThat(others.tryExecute(ORDER.waitFor(Duration.ZERO), () -> {}).executed())
                .isFalse();
        last.close();
    }

    /** The holder has lost the lock, and its successor in another client has got it. */
    @Test
    void waiter_has_waited_for_the_last_holder_that_the_store_has_named() throws Exception {
        LockHandle first = in(1, () -> locks.acquire(ORDER).detach()).join();
        CompletableFuture<LockHandle> second = waiting(others, 2);
        locks.forceRelease(KEY);
        LockHandle successor = second.get(30, TimeUnit.SECONDS);
        CompletableFuture<LockHandle> third = waiting(locks, 3);
        successor.close();
        third.get(30, TimeUnit.SECONDS).close();

        assertThat(blockers).containsEntry("2", "1").containsEntry("3", "2");
        assertThat(first.isHeld()).isFalse();
    }
}
