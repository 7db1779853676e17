package io.holdfast.lock.spring.autoconfigure.observation;

import static io.holdfast.lock.spring.autoconfigure.observation.TracedInstance.attribute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.WorkerJvm;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.TestRedis;
import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import redis.clients.jedis.Jedis;

/** The spans of two instances that wait for each other, on a real Redis. Each instance exports its own. */
@Timeout(300)
class TracingTest {

    private final String key = "traced-" + UUID.randomUUID();
    private final LockRequest order = TracedInstance.order(key);

    /** When the work of a span requested, acquired and released the lock, by the id of the span. */
    private final Map<String, TracedInstance.Held> held = new ConcurrentHashMap<>();

    static class Reports {

        @DistributedLock(key = "#key", waitFor = 60)
        public Mono<String> report(String key) {
            return key.endsWith("mono") ? Mono.never() : Mono.just(key);
        }
    }

    private final TracedInstance shop = new TracedInstance(Sampler.alwaysOn());
    private final TracedInstance bank = new TracedInstance(Sampler.alwaysOn());

    private void runBoth(BiConsumer<LockTemplate, LockTemplate> work) {
        shop.run(first ->
                bank.run(second -> work.accept(first.getBean(LockTemplate.class), second.getBean(LockTemplate.class))));
    }

    private CompletableFuture<Void> workers(TracedInstance instance, LockTemplate locks, int threads, int times) {
        return workers(instance, locks, threads, times, run -> new Thread(run).start());
    }

    private CompletableFuture<Void> workers(
            TracedInstance instance, LockTemplate locks, int threads, int times, Executor executor) {
        return CompletableFuture.allOf(Stream.generate(() -> CompletableFuture.runAsync(
                        () -> {
                            for (int i = 0; i < times; i++) {
                                TracedInstance.Held each = instance.hold(locks, order);
                                held.put(each.spanId(), each);
                            }
                        },
                        executor))
                .limit(threads)
                .toArray(CompletableFuture<?>[]::new));
    }

    private void assertLinked(SpanData acquisition, boolean required) {
        assertLinked(TracedInstance.Waited.of(acquisition), required);
        assertThat(acquisition.getLinks())
                .allSatisfy(link -> assertThat(attribute(acquisition, "holdfast.holder.trace_id"))
                        .isEqualTo(link.getSpanContext().getTraceId()));
    }

    private void assertLinked(TracedInstance.Waited wait, boolean required) {
        assertThat(wait.links()).hasSizeBetween(required ? 1 : 0, 1).allSatisfy(link -> {
            TracedInstance.Held holder = held.get(link);
            TracedInstance.Held waiter = held.get(wait.spanId());
            assertThat(holder).isNotNull().isNotSameAs(waiter);
            assertThat(holder.blocked(waiter))
                    .as("%s blocked %s", holder, waiter)
                    .isTrue();
        });
    }

    /** Each has one thread, so each grant comes from the other one: by a message, or in reply to a poll. */
    @Test
    void each_wait_for_another_process_is_linked_to_its_holder() throws Exception {
        List<TracedInstance.Waited> waits = new CopyOnWriteArrayList<>();
        CountDownLatch ready = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        Consumer<String> listener = line -> {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "READY" -> ready.countDown();
                case "HELD" -> held.put(words[1], TracedInstance.Held.parse(words));
                case "WAITED" -> waits.add(TracedInstance.Waited.parse(words));
                case "END" -> ended.countDown();
                default -> {}
            }
        };
        try (WorkerJvm other = WorkerJvm.start(
                listener, TracedWorker.class, String.valueOf(TestRedis.shared().port()), key, "1000")) {
            shop.run(context -> {
                assertThat(ready.await(100, TimeUnit.SECONDS)).isTrue();
                workers(shop, context.getBean(LockTemplate.class), 1, 1000).join();
                assertThat(ended.await(100, TimeUnit.SECONDS)).isTrue();
            });
        }

        assertThat(shop.contended()).hasSizeGreaterThan(100).allSatisfy(each -> assertLinked(each, true));
        assertThat(waits).hasSizeGreaterThan(100).allSatisfy(each -> assertLinked(each, true));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void waits_of_virtual_threads_are_linked() throws Exception {
        Method factory = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
        ExecutorService virtual = (ExecutorService) factory.invoke(null);
        runBoth((first, second) -> CompletableFuture.allOf(
                        workers(shop, first, 1, 300, virtual), workers(bank, second, 1, 300, virtual))
                .join());
        virtual.shutdown();

        assertThat(Stream.of(shop, bank).flatMap(each -> each.contended().stream()))
                .hasSizeGreaterThan(30)
                .allSatisfy(each -> assertLinked(each, true));
    }

    @Test
    void each_of_a_deadlock_is_linked_to_the_other() {
        LockRequest another = TracedInstance.order(key + ":another").waitFor(Duration.ofSeconds(1));
        CountDownLatch holding = new CountDownLatch(2);
        CountDownLatch refused = new CountDownLatch(2);
        List<String> traces = new ArrayList<>();
        runBoth((first, second) -> {
            CompletableFuture<String> one =
                    NewThread.start(() -> deadlock(shop, first, order, another, holding, refused));
            CompletableFuture<String> two = NewThread.start(
                    () -> deadlock(bank, second, another, order.waitFor(Duration.ofSeconds(1)), holding, refused));
            traces.addAll(List.of(one.join(), two.join()));
        });

        assertThat(shop.contended()).singleElement().satisfies(each -> assertLinkedToTrace(each, traces.get(1)));
        assertThat(bank.contended()).singleElement().satisfies(each -> assertLinkedToTrace(each, traces.get(0)));
    }

    private static String deadlock(
            TracedInstance instance,
            LockTemplate locks,
            LockRequest own,
            LockRequest next,
            CountDownLatch holding,
            CountDownLatch refused) {
        return instance.inSpan(() -> locks.execute(own, () -> {
            arrive(holding);
            assertThatThrownBy(() -> locks.execute(next, () -> {})).isInstanceOf(LockNotAcquiredException.class);
            arrive(refused);
            return instance.traceId();
        }));
    }

    private static void arrive(CountDownLatch all) {
        all.countDown();
        try {
            assertThat(all.await(100, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void assertLinkedToTrace(SpanData acquisition, String trace) {
        assertThat(acquisition.getLinks())
                .singleElement()
                .satisfies(
                        link -> assertThat(link.getSpanContext().getTraceId()).isEqualTo(trace));
        assertThat(attribute(acquisition, "holdfast.holder.trace_id")).isEqualTo(trace);
    }

    @Test
    void wait_for_a_lease_to_end_is_linked_to_the_holder_that_lost_the_lock() {
        runBoth((first, second) -> {
            String lost = shop.inSpan(() -> {
                var unused = first.acquire(order.lease(Duration.ofSeconds(5)).renew(false))
                        .detach();
                return shop.traceId();
            });
            bank.hold(second, order);

            assertThat(bank.contended()).singleElement().satisfies(each -> assertLinkedToTrace(each, lost));
        });
    }

    @Test
    void waits_of_asynchronous_and_reactive_callers_are_linked() {
        shop.run(holding -> bank.run(waiting -> {
            LockTemplate locks = waiting.getBean(LockTemplate.class);
            List<Supplier<CompletableFuture<String>>> ways = List.of(
                    () -> locks.executeAsync(order, lock -> CompletableFuture.completedFuture("done"))
                            .toCompletableFuture(),
                    () -> waiting.getBean(Reports.class).report(key).toFuture());
            for (Supplier<CompletableFuture<String>> way : ways) {
                bank.spans.reset();
                List<CompletableFuture<String>> waits = new ArrayList<>();
                String holder =
                        shop.inSpan(() -> holding.getBean(LockTemplate.class).execute(order, () -> {
                            waits.add(NewThread.start(() -> bank.inSpan(way)).thenCompose(result -> result));
                            await().until(() -> locks.inspect(key).waiters() == 1);
                            return shop.traceId();
                        }));

                assertThat(waits.get(0).get(100, TimeUnit.SECONDS)).isNotEmpty();
                await().untilAsserted(() -> assertThat(bank.contended())
                        .singleElement()
                        .satisfies(each -> assertLinkedToTrace(each, holder)));
            }
        }));
    }

    @Test
    void each_handoff_between_threads_is_linked_to_the_thread_that_hands_the_lock_off() {
        shop.run(context ->
                workers(shop, context.getBean(LockTemplate.class), 4, 250).join());

        assertThat(shop.contended()).hasSizeGreaterThan(100).allSatisfy(each -> assertLinked(each, true));
    }

    /** An instance does not know who has the lock if another one hands it from thread to thread, so there may be no link. */
    @Test
    void no_wait_is_linked_to_anybody_else() {
        runBoth((first, second) -> CompletableFuture.allOf(workers(shop, first, 3, 300), workers(bank, second, 3, 300))
                .join());

        List<SpanData> contended =
                Stream.of(shop, bank).flatMap(each -> each.contended().stream()).toList();
        assertThat(contended).hasSizeGreaterThan(100).allSatisfy(each -> assertLinked(each, false));
        assertThat(contended).filteredOn(each -> !each.getLinks().isEmpty()).hasSizeGreaterThan(100);
    }

    @Test
    void refusal_is_linked_to_the_holder_and_names_its_trace() {
        runBoth((first, second) -> {
            String holder = shop.inSpan(() -> {
                var unused = first.acquire(order).detach();
                return shop.traceId();
            });
            LockNotAcquiredException refusal = bank.inSpan(() -> catchThrowableOfType(
                    LockNotAcquiredException.class, () -> second.acquire(order.waitFor(Duration.ofMillis(50)))));

            assertThat(refusal.holder().flatMap(LockHolder::traceId)).contains(holder);
            assertThat(refusal).hasMessageContaining("trace " + holder);
            assertThat(bank.acquisitions()).singleElement().satisfies(span -> {
                assertThat(span.getLinks())
                        .singleElement()
                        .satisfies(link ->
                                assertThat(link.getSpanContext().getTraceId()).isEqualTo(holder));
                assertThat(attribute(span, "holdfast.holder.trace_id")).isEqualTo(holder);
                assertThat(attribute(span, "holdfast.holder"))
                        .contains("(pid " + ProcessHandle.current().pid());
                assertThat(attribute(span, "holdfast.place_in_line")).isEqualTo("1");
                assertThat(Long.parseLong(attribute(span, "holdfast.waited_ms")))
                        .isGreaterThanOrEqualTo(50);
            });
        });
    }

    /** Whatever thread acquires the lock, it is held in the trace of the caller. */
    @Test
    void asynchronous_and_reactive_callers_hold_locks_in_their_traces() {
        shop.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            String ofAsync = shop.inSpan(() -> {
                var unused = locks.executeAsync(order, lock -> new CompletableFuture<>());
                return shop.traceId();
            });
            await().until(() -> traceOfHolder(locks, key).equals(Optional.of(ofAsync)));

            String reactive = key + ":mono";
            Observation request = Observation.start("request", shop.observations);
            Mono<String> report = context.getBean(Reports.class).report(reactive);
            Disposable running = report.contextWrite(values -> values.put(ObservationThreadLocalAccessor.KEY, request))
                    .subscribe();
            String expected = request.scoped((Supplier<String>) shop::traceId);
            await().until(() -> traceOfHolder(locks, reactive).equals(Optional.of(expected)));
            running.dispose();
            request.stop();
        });
    }

    private static Optional<String> traceOfHolder(LockTemplate locks, String key) {
        return locks.inspect(key).holder().flatMap(LockHolder::traceId);
    }

    @Test
    void nothing_is_recorded_of_traces_that_are_not_sampled() {
        TracedInstance unsampled = new TracedInstance(Sampler.alwaysOff());
        unsampled.run(context -> unsampled.inSpan(() -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            return locks.execute(order, () -> {
                assertThat(unsampled.tracer.currentSpan()).isNotNull();
                try (Jedis redis = TestRedis.administrator(TestRedis.shared().port())) {
                    assertThat(redis.hget("holdfast:{" + key + "}", "holder"))
                            .doesNotContain("\t")
                            .endsWith("\n" + Thread.currentThread().getName());
                }
                return true;
            });
        }));
    }
}
