package io.holdfast.lock.spring.observe;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LossCause;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The meters of the locks of one name. Those of the ordinary path are looked up once. */
final class NamedMeters {

    private final MeterRegistry registry;
    private final String name;
    private final Timer hold;
    private final Map<LossCause, Counter> losses = new EnumMap<>(LossCause.class);
    private @Nullable Timer acquired;
    private @Nullable Counter handOffs;

    NamedMeters(MeterRegistry registry, String name) {
        this.registry = registry;
        this.name = name;
        this.hold = Timer.builder(Meters.HOLD)
                .description("Time from acquisition to release or loss")
                .tag(Meters.NAME, name)
                .register(registry);
        for (LossCause cause : LossCause.values()) {
            losses.put(cause, lossesBy(cause));
        }
    }

    /** There from the beginning: what watches for an increase does not see that of a counter that begins at one. */
    private Counter lossesBy(LossCause cause) {
        return Counter.builder(Meters.LOST)
                .description("Locks lost while held")
                .tag(Meters.NAME, name)
                .tag(Meters.CAUSE, cause.name().toLowerCase(Locale.ROOT))
                .register(registry);
    }

    void gauge(String gauge, String description, Supplier<Number> value) {
        Gauge.builder(gauge, value)
                .description(description)
                .tag(Meters.NAME, name)
                .register(registry);
    }

    /** Two threads may both look it up, and find the same. */
    void acquired(Duration waited) {
        Timer timer = acquired;
        if (timer == null) {
            timer = timer(Meters.ACQUIRED, null);
            acquired = timer;
        }
        timer.record(waited);
    }

    void acquisition(String outcome, @Nullable Throwable failure, Duration waited) {
        timer(outcome, failure).record(waited);
    }

    /** With the tags that the timer of the observation has. */
    private Timer timer(String outcome, @Nullable Throwable failure) {
        return Timer.builder(Meters.ACQUIRE)
                .description("Time to acquire a lock, by outcome")
                .tag(Meters.NAME, name)
                .tag(Meters.OUTCOME, outcome)
                .tag(
                        Meters.ERROR,
                        failure == null ? Meters.NONE : failure.getClass().getSimpleName())
                .register(registry);
    }

    void held(Duration time) {
        hold.record(time);
    }

    void handedOff() {
        Counter counter = handOffs;
        if (counter == null) {
            counter = Counter.builder(Meters.HAND_OFFS)
                    .description("Locks handed from one thread of this client to another without a call to the store")
                    .tag(Meters.NAME, name)
                    .register(registry);
            handOffs = counter;
        }
        counter.increment();
    }

    void lost(LockEvent.Lost lost) {
        hold.record(lost.held());
        Objects.requireNonNull(losses.get(lost.cause())).increment();
    }
}
