package io.holdfast.lock.spring.autoconfigure.observation;

import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LossCause;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The meters of the locks of one application, fed by its events. Held locks and waiting calls are not counted here, but read
 * from the client on demand, so the numbers cannot diverge.
 */
final class LockMetrics implements LockListener {

    /** Each name results in one or more time series. Applications should have few names; further ones get no meters. */
    static final int MAX_NAMES = 200;

    private final MeterRegistry registry;
    private final Supplier<@Nullable LocalLocks> local;
    private final boolean timesAcquire;
    private final MeterProvider<Timer> acquire;
    private final MeterProvider<Timer> hold;
    private final MeterProvider<Counter> lost;
    private final MeterProvider<Counter> handoffs;
    private final Counter renewed;
    private final Counter renewalsFailed;
    private final Counter forced;
    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private @Nullable LocalLocks books;

    /**
     * Creates an instance.
     *
     * @param local called on the first event, since the client needs its listeners first; yields null if there is none
     * @param timesAcquire false if the observation times acquisitions
     */
    LockMetrics(MeterRegistry registry, Supplier<@Nullable LocalLocks> local, boolean timesAcquire) {
        this.registry = registry;
        this.local = local;
        this.timesAcquire = timesAcquire;
        this.acquire = Timer.builder("holdfast.acquire")
                .description("Time to acquire a lock, by outcome")
                .withRegistry(registry);
        this.hold = Timer.builder("holdfast.hold")
                .description("Time from acquisition to release or loss")
                .withRegistry(registry);
        this.lost = Counter.builder("holdfast.lost")
                .description("Locks lost while held")
                .withRegistry(registry);
        this.handoffs = Counter.builder("holdfast.handoffs")
                .description("Locks handed from one thread of this client to another without a call to the store")
                .withRegistry(registry);
        MeterProvider<Counter> renewals = Counter.builder("holdfast.renewals")
                .description("Renewals of leases, by outcome")
                .withRegistry(registry);
        this.renewed = renewals.withTag("outcome", "renewed");
        this.renewalsFailed = renewals.withTag("outcome", "failed");
        this.forced = Counter.builder("holdfast.forced.releases")
                .description("Locks released by force through this client")
                .register(registry);
    }

    /** {@return the tag for a name, which may be empty: a meter must always have the same tag keys} */
    private static String tag(String name) {
        return name.isEmpty() ? "none" : name;
    }

    @Override
    public void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Acquired acquired) {
            acquired(acquired.name(), "acquired", "none", acquired.waitedFor());
            if (acquired.handoff()) {
                handoffs.withTag("name", tag(acquired.name())).increment();
            }
        } else if (event instanceof LockEvent.Released released) {
            hold.withTag("name", tag(released.name())).record(released.heldFor());
        } else if (event instanceof LockEvent.Waiting waiting) {
            register(waiting.name());
        } else if (event instanceof LockEvent.NotAcquired refused) {
            acquired(refused.name(), "not_acquired", "none", refused.waitedFor());
        } else if (event instanceof LockEvent.Failed failed) {
            acquired(failed.name(), "failed", failed.failure().getClass().getSimpleName(), failed.waitedFor());
        } else if (event instanceof LockEvent.Lost loss) {
            register(loss.name());
            hold.withTag("name", tag(loss.name())).record(loss.heldFor());
            losses(loss.name(), loss.cause()).increment();
        } else if (event instanceof LockEvent.Renewed renewal) {
            renewed.increment(renewal.locks());
        } else if (event instanceof LockEvent.RenewalFailed renewal) {
            renewalsFailed.increment(renewal.keys().size());
        } else if (event instanceof LockEvent.ForceReleased) {
            forced.increment();
        }
    }

    /** Uses the tags that the timer of the observation has. */
    private void acquired(String name, String outcome, String error, Duration waited) {
        register(name);
        if (timesAcquire) {
            acquire.withTags("name", tag(name), "outcome", outcome, "error", error)
                    .record(waited);
        }
    }

    private Counter losses(String name, LossCause cause) {
        return lost.withTags("name", tag(name), "cause", cause.name().toLowerCase(Locale.ROOT));
    }

    /** Losses are counted from zero: an alert on an increase would miss the first loss if the counter began at one. */
    private void register(String name) {
        if (names.contains(name) || names.size() >= MAX_NAMES || !names.add(name)) {
            return;
        }
        hold.withTag("name", tag(name));
        for (LossCause cause : LossCause.values()) {
            losses(name, cause);
        }
        LocalLocks known = books();
        if (known != null) {
            Gauge.builder("holdfast.held", () -> count(known.held().stream().map(LocalLocks.HeldLock::name), name))
                    .description("Locks held by this client")
                    .tag("name", tag(name))
                    .register(registry);
            Gauge.builder(
                            "holdfast.waiting",
                            () -> count(known.waiting().stream().map(LocalLocks.WaitingCall::name), name))
                    .description("Calls from this client waiting for a lock")
                    .tag("name", tag(name))
                    .register(registry);
        }
    }

    /** One for all names; registers the meters without names only once, because Micrometer warns about a second registration. */
    private synchronized @Nullable LocalLocks books() {
        LocalLocks first = books == null ? local.get() : null;
        if (first != null) {
            books = first;
            FunctionCounter.builder("holdfast.wakeups", first, LocalLocks::wakeups)
                    .description("Waiters notified by a message that they hold the lock")
                    .register(registry);
            FunctionCounter.builder("holdfast.events.dropped", first, LocalLocks::droppedEvents)
                    .description("Events dropped because a listener did not keep up")
                    .register(registry);
        }
        return books;
    }

    private static long count(Stream<String> names, String name) {
        return names.filter(name::equals).count();
    }
}
