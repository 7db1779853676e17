package io.holdfast.lock.spring.observe;

import io.holdfast.lock.api.LockActivity;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The meters of the locks of one application, fed by its events. What is held and what waits is not counted here, but
 * asked of the client's books when it is wanted, so it cannot drift away from them.
 */
final class LockMetrics implements LockListener {

    private final MeterRegistry registry;
    private final Supplier<@Nullable LockActivity> activity;
    private final boolean timesAcquire;
    private final LockNames names = new LockNames();
    private final Map<String, NamedMeters> named = new ConcurrentHashMap<>();
    private final Counter renewed;
    private final Counter renewalsFailed;
    private final Counter forced;
    private final AtomicBoolean countsWithoutNames = new AtomicBoolean();
    private volatile @Nullable CountsByName counts;

    /**
     * Creates an instance.
     *
     * @param activity asked at the first event, since the client needs its listeners first; yields null if there is none
     * @param timesAcquire false if the observation does that
     */
    LockMetrics(MeterRegistry registry, Supplier<@Nullable LockActivity> activity, boolean timesAcquire) {
        this.registry = registry;
        this.activity = activity;
        this.timesAcquire = timesAcquire;
        this.renewed = renewals("renewed");
        this.renewalsFailed = renewals(Meters.FAILED);
        this.forced = Counter.builder(Meters.FORCED)
                .description("Locks released by force through this client")
                .register(registry);
    }

    private Counter renewals(String outcome) {
        return Counter.builder(Meters.RENEWALS)
                .description("Renewals of leases, by outcome")
                .tag(Meters.OUTCOME, outcome)
                .register(registry);
    }

    @Override
    public void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Acquired acquired) {
            acquired(acquired);
        } else if (event instanceof LockEvent.Released released) {
            of(released.name()).held(released.held());
        } else if (event instanceof LockEvent.Waiting waiting) {
            of(waiting.name());
        } else if (event instanceof LockEvent.NotAcquired refused) {
            acquisition(refused.name(), Meters.NOT_ACQUIRED, null, refused.waited());
        } else if (event instanceof LockEvent.Failed failed) {
            acquisition(failed.name(), Meters.FAILED, failed.failure(), failed.waited());
        } else if (event instanceof LockEvent.Lost lost) {
            of(lost.name()).lost(lost);
        } else if (event instanceof LockEvent.Renewed renewal) {
            renewed.increment(renewal.locks());
        } else if (event instanceof LockEvent.RenewalFailed renewal) {
            renewalsFailed.increment(renewal.keys().size());
        } else if (event instanceof LockEvent.ForceReleased) {
            forced.increment();
        }
    }

    private void acquired(LockEvent.Acquired acquired) {
        NamedMeters meters = of(acquired.name());
        if (timesAcquire) {
            meters.acquired(acquired.waited());
        }
        if (acquired.handedOff()) {
            meters.handedOff();
        }
    }

    private void acquisition(String name, String outcome, @Nullable Throwable failure, Duration waited) {
        NamedMeters meters = of(name);
        if (timesAcquire) {
            meters.acquisition(outcome, failure, waited);
        }
    }

    private NamedMeters of(String name) {
        String tag = names.tag(name);
        NamedMeters known = named.get(tag);
        return known == null ? named.computeIfAbsent(tag, this::create) : known;
    }

    private NamedMeters create(String tag) {
        LockActivity books = activity.get();
        NamedMeters meters = new NamedMeters(registry, tag);
        if (books != null) {
            CountsByName counts = countsOf(books);
            meters.gauge(Meters.HELD, "Locks held by this client", () -> counts.held(tag));
            meters.gauge(Meters.WAITING, "Calls from this client waiting for a lock", () -> counts.waiting(tag));
            countWithoutNames(books);
        }
        return meters;
    }

    /** Once for all names, since they have no tags: Micrometer warns of a second registration. */
    private void countWithoutNames(LockActivity books) {
        if (countsWithoutNames.compareAndSet(false, true)) {
            FunctionCounter.builder(Meters.WAKE_UPS, books, LockActivity::wakeUps)
                    .description("Waiters notified by a message that they hold the lock")
                    .register(registry);
            FunctionCounter.builder(Meters.DROPPED_EVENTS, books, LockActivity::droppedEvents)
                    .description("Events dropped because a listener did not keep up")
                    .register(registry);
        }
    }

    /** One for all names: two threads may make one each, and both are right. */
    private CountsByName countsOf(LockActivity books) {
        CountsByName known = counts;
        if (known == null) {
            known = new CountsByName(books, names::tag, System::nanoTime);
            counts = known;
        }
        return known;
    }
}
