package io.holdfast.lock.spring.autoconfigure.observation;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.spring.observation.DefaultLockObservationConvention;
import io.holdfast.lock.spring.observation.LockObservationContext;
import io.holdfast.lock.spring.observation.LockObservationContext.Outcome;
import io.holdfast.lock.spring.observation.LockObservationConvention;
import io.holdfast.lock.spring.observation.LockObservationDocumentation;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.TracingObservationHandler.TracingContext;
import io.micrometer.tracing.otel.bridge.OtelSpan;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Creates an observation for each acquisition, whichever API requested it: from the request until the thread has the lock or the
 * acquisition ends without it. So a trace shows the time spent waiting below the work that needed the lock, and the calls of the
 * driver below that. With OpenTelemetry, the span has a link to that of the last known holder; other tracers link no span that has
 * started. A reentrant acquisition does not wait, and is not observed.
 *
 * <p>Its scope is open on a thread only while that thread continues the acquisition, because the thread may change.
 *
 * @param convention that of the application, which precedes a global one; null for the standard one
 */
record LockObservations(
        ObservationRegistry registry, @Nullable LockObservationConvention convention) implements LockListener {

    private static final DefaultLockObservationConvention STANDARD = new DefaultLockObservationConvention();

    private static final boolean LINKS =
            ClassUtils.isPresent("io.micrometer.tracing.otel.bridge.OtelSpan", LockObservations.class.getClassLoader());

    /** Loaded only if Micrometer Tracing uses OpenTelemetry. */
    private static final class OpenTelemetry {

        static void link(LockObservationContext context, String traceparent) {
            TracingContext tracing = context.get(TracingContext.class);
            if (tracing != null && tracing.getSpan() instanceof OtelSpan span) {
                String[] parts = traceparent.split("-", -1);
                OtelSpan.toOtel(span)
                        .addLink(SpanContext.createFromRemoteParent(
                                parts[1], parts[2], TraceFlags.getSampled(), TraceState.getDefault()));
            }
        }
    }

    /** One acquisition. */
    private record Observed(LockObservationContext context, Observation observation) implements AcquisitionObserver {

        @Override
        public LockListener.Scope onThread() {
            return observation.openScope()::close;
        }

        @Override
        public void ended(LockEvent.OfLock event) {
            if (event instanceof LockEvent.Acquired acquired) {
                context.setOutcome(Outcome.ACQUIRED);
                acquired.blockedBy()
                        .ifPresent(holder -> blockedBy(holder, acquired.waitedFor(), acquired.placeInLine()));
            } else if (event instanceof LockEvent.NotAcquired refused) {
                context.setOutcome(Outcome.NOT_ACQUIRED);
                refused.holder().ifPresent(holder -> blockedBy(holder, refused.waitedFor(), refused.placeInLine()));
            } else if (event instanceof LockEvent.Failed failed) {
                context.setOutcome(Outcome.FAILED);
                observation.error(failed.failure());
            }
            observation.stop();
        }

        private void blockedBy(LockHolder holder, Duration waited, int place) {
            context.setBlockedBy(holder, waited, place);
            if (LINKS) {
                holder.traceparent().ifPresent(traceparent -> OpenTelemetry.link(context, traceparent));
            }
        }
    }

    @Override
    public AcquisitionObserver onAcquire(LockKey key, String name) {
        LockObservationContext context = new LockObservationContext(key, name);
        Observation observation = LockObservationDocumentation.ACQUIRE
                .observation(convention, STANDARD, () -> context, registry)
                .start();
        return new Observed(context, observation);
    }

    /** Only acquisitions are observed. */
    @Override
    public void onEvent(LockEvent event) {}
}
