package io.holdfast.lock.spring.autoconfigure.observation;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.testing.TestRedis;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
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
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;

/** An application that keeps its spans. Times are of a clock that all processes of this machine share. */
final class TracedInstance {

    final InMemorySpanExporter spans = InMemorySpanExporter.create();
    final ObservationRegistry observations = ObservationRegistry.create();
    final Tracer tracer;

    TracedInstance(Sampler sampler) {
        SdkTracerProvider provider = SdkTracerProvider.builder()
                .setSampler(sampler)
                .addSpanProcessor(SimpleSpanProcessor.create(spans))
                .build();
        tracer = new OtelTracer(provider.get("test"), new OtelCurrentTraceContext(), event -> {});
        observations.observationConfig().observationHandler(new DefaultTracingObservationHandler(tracer));
    }

    /** When the work of a span requested, acquired and released the lock. */
    record Held(String spanId, long requested, long acquired, long released) {

        /** Whether this one may have had the lock at some time while the other one waited for it. */
        boolean blocked(Held other) {
            return acquired - other.acquired() < 0 && released - other.requested() > 0;
        }

        String line() {
            return "HELD " + spanId + ' ' + requested + ' ' + acquired + ' ' + released;
        }

        static Held parse(String[] words) {
            return new Held(words[1], Long.parseLong(words[2]), Long.parseLong(words[3]), Long.parseLong(words[4]));
        }
    }

    /** The span of the work that waited, and the spans to which the wait is linked. */
    record Waited(String spanId, List<String> links) {

        static Waited of(SpanData acquisition) {
            return new Waited(
                    acquisition.getParentSpanId(),
                    acquisition.getLinks().stream()
                            .map(link -> link.getSpanContext().getSpanId())
                            .toList());
        }

        String line() {
            return Stream.concat(Stream.of("WAITED", spanId), links.stream()).collect(Collectors.joining(" "));
        }

        static Waited parse(String[] words) {
            return new Waited(words[1], Arrays.asList(words).subList(2, words.length));
        }
    }

    static LockRequest order(String key) {
        return LockRequest.of(key).name("order").waitFor(Duration.ofMinutes(1));
    }

    void run(ContextConsumer<AssertableApplicationContext> work) {
        run(TestRedis.shared().port(), work);
    }

    void run(int port, ContextConsumer<AssertableApplicationContext> work) {
        Runners.redis(port)
                .withBean(ObservationRegistry.class, () -> observations)
                .withBean(Tracer.class, () -> tracer)
                .withBean(TracingTest.Reports.class)
                .run(work);
    }

    <T> T inSpan(Supplier<T> work) {
        Observation request = Observation.start("request", observations);
        try (Observation.Scope scope = request.openScope()) {
            return work.get();
        } finally {
            request.stop();
        }
    }

    /** Holds the lock for a moment, in a span. */
    Held hold(LockTemplate locks, LockRequest order) {
        return inSpan(() -> {
            long requested = System.nanoTime();
            long acquired = locks.execute(order, System::nanoTime);
            String spanId =
                    Objects.requireNonNull(tracer.currentSpan()).context().spanId();
            return new Held(spanId, requested, acquired, System.nanoTime());
        });
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

    static String attribute(SpanData span, String name) {
        return span.getAttributes().get(AttributeKey.stringKey(name));
    }
}
