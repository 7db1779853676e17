package io.holdfast.lock.spring.autoconfigure.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.TestRedis;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ApplicationContext;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import redis.clients.jedis.Jedis;

/** The spans of two instances that wait for each other, on a real Redis. Each instance exports its own. */
@Timeout(120)
class TracingTest {

    private final String key = "traced-" + UUID.randomUUID();
    private final LockRequest order = LockRequest.of(key).name("order").waitFor(Duration.ofMinutes(1));

    /** When the work of a span requested, acquired and released the lock, by the id of the span. */
    private final Map<String, Held> held = new ConcurrentHashMap<>();

    private record Held(long requested, long acquired, long released) {

        /** Whether this one may have had the lock at some time while the other one waited for it. */
        boolean blocked(Held other) {
            return acquired - other.acquired() < 0 && released - other.requested() > 0;
        }
    }

    static class Reports {

        @DistributedLock(key = "#key")
        public Mono<String> report(String key) {
            return Mono.never();
        }
    }

    /** An application. */
    private static final class Instance {

        private final InMemorySpanExporter spans = InMemorySpanExporter.create();
        private final ObservationRegistry observations = ObservationRegistry.create();
        private final Tracer tracer;

        Instance(Sampler sampler) {
            SdkTracerProvider provider = SdkTracerProvider.builder()
                    .setSampler(sampler)
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build();
            tracer = new OtelTracer(provider.get("test"), new OtelCurrentTraceContext(), event -> {});
            observations.observationConfig().observationHandler(new DefaultTracingObservationHandler(tracer));
        }

        void run(Consumer<ApplicationContext> work) {
            Runners.redis()
                    .withBean(ObservationRegistry.class, () -> observations)
                    .withBean(Tracer.class, () -> tracer)
                    .withBean(Reports.class)
                    .run(work::accept);
        }

        <T> T inSpan(Supplier<T> work) {
            Observation request = Observation.start("request", observations);
            try (Observation.Scope scope = request.openScope()) {
                return work.get();
            } finally {
                request.stop();
            }
        }

        String spanId() {
            return Objects.requireNonNull(tracer.currentSpan()).context().spanId();
        }

        String traceId() {
            return Objects.requireNonNull(tracer.currentSpan()).context().traceId();
        }

        List<SpanData> acquisitions() {
            return spans.getFinishedSpanItems().stream()
                    .filter(span -> span.getName().startsWith("acquire lock"))
                    .toList();
        }

        List<SpanData> contended() {
            return acquisitions().stream()
                    .filter(span -> attribute(span, "holdfast.holder") != null)
                    .toList();
        }
    }

    private static String attribute(SpanData span, String name) {
        return span.getAttributes().get(AttributeKey.stringKey(name));
    }

    private final Instance shop = new Instance(Sampler.alwaysOn());
    private final Instance bank = new Instance(Sampler.alwaysOn());

    private void runBoth(BiConsumer<LockTemplate, LockTemplate> work) {
        shop.run(first ->
                bank.run(second -> work.accept(first.getBean(LockTemplate.class), second.getBean(LockTemplate.class))));
    }

    private CompletableFuture<Void> workers(Instance instance, LockTemplate locks, int threads, int times) {
        return CompletableFuture.allOf(Stream.generate(() -> NewThread.start(() -> {
                    for (int i = 0; i < times; i++) {
                        instance.inSpan(() -> hold(instance, locks));
                    }
                    return true;
                }))
                .limit(threads)
                .toArray(CompletableFuture<?>[]::new));
    }

    private long hold(Instance instance, LockTemplate locks) {
        long requested = System.nanoTime();
        long acquired = locks.execute(order, System::nanoTime);
        held.put(instance.spanId(), new Held(requested, acquired, System.nanoTime()));
        return acquired;
    }

    private void assertLinked(SpanData acquisition, boolean required) {
        assertThat(acquisition.getLinks()).hasSizeBetween(required ? 1 : 0, 1).allSatisfy(link -> {
            Held holder = held.get(link.getSpanContext().getSpanId());
            Held waiter = held.get(acquisition.getParentSpanId());
            assertThat(holder).isNotNull().isNotSameAs(waiter);
            assertThat(holder.blocked(waiter))
                    .as("%s blocked %s", holder, waiter)
                    .isTrue();
            assertThat(attribute(acquisition, "holdfast.holder.trace_id"))
                    .isEqualTo(link.getSpanContext().getTraceId());
        });
    }

    /** Each has one thread, so each grant comes from the other one: by a message, or in reply to a poll. */
    @Test
    void each_wait_for_another_instance_is_linked_to_its_holder() {
        runBoth((first, second) -> CompletableFuture.allOf(
                        workers(shop, first, 1, 1000), workers(bank, second, 1, 1000))
                .join());

        assertThat(Stream.of(shop, bank).flatMap(each -> each.contended().stream()))
                .hasSizeGreaterThan(100)
                .allSatisfy(each -> assertLinked(each, true));
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
        Instance unsampled = new Instance(Sampler.alwaysOff());
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
