package io.holdfast.lock.spring.autoconfigure.observation;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.autoconfigure.LockAutoConfiguration;
import io.holdfast.lock.spring.autoconfigure.LockEngineBuilderCustomizer;
import io.holdfast.lock.spring.observation.LockObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Observations of acquisitions, if there is a registry for them. */
@AutoConfiguration(
        after = LockAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnSingleCandidate(ObservationRegistry.class)
@ConditionalOnBean(LockTemplate.class)
@ConditionalOnBooleanProperty(name = "holdfast.enabled", matchIfMissing = true)
public final class LockObservationAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "holdfastObservations")
    LockObservations holdfastObservations(
            ObservationRegistry registry, ObjectProvider<LockObservationConvention> convention) {
        return new LockObservations(registry, convention.getIfAvailable());
    }

    /**
     * Records with each lock in which trace it is held, if there is a tracer: that of the caller, in whose span the work under the lock
     * runs. The span of the acquisition has ended by then.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Tracer.class)
    static class Tracing {

        /** The digits of a trace ID of Brave, unless it is configured to have twice as many. */
        private static final int SHORT_TRACE_ID = 16;

        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE) // the application's customizers have the last word
        LockEngineBuilderCustomizer holdfastTraces(ObjectProvider<Tracer> tracers) {
            return builder -> tracers.ifUnique(tracer -> builder.traceparent(() -> traceparent(tracer)));
        }

        /** {@return the current span in the format of the W3C Trace Context; null if there is none, or if it is not sampled} */
        private static @Nullable String traceparent(Tracer tracer) {
            Span span = tracer.currentSpan();
            TraceContext context = span == null ? null : span.context();
            if (context == null || !Boolean.TRUE.equals(context.sampled())) {
                return null;
            }
            String id = context.traceId();
            String padding = id.length() == SHORT_TRACE_ID ? "0".repeat(SHORT_TRACE_ID) : "";
            return "00-" + padding + id + "-" + context.spanId() + "-01";
        }
    }
}
