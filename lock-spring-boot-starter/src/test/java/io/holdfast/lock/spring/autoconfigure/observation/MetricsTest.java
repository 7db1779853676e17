package io.holdfast.lock.spring.autoconfigure.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.StoreSpy;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Meters without Boot's metrics, on a registry of the application's. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class MetricsTest {

    private static final LockRequest ORDER = LockRequest.of("order:42").name("order");

    private final StoreSpy store = new StoreSpy(new InMemoryLockStore());
    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final ApplicationContextRunner application =
            Runners.starter().withBean(StoreSpy.class, () -> store).withBean(MeterRegistry.class, () -> meters);

    private Timer acquired(String name, String outcome) {
        return meters.get("holdfast.acquire")
                .tag("name", name)
                .tag("outcome", outcome)
                .timer();
    }

    private double gauge(String meter, String name) {
        return meters.get(meter).tag("name", name).gauge().value();
    }

    private static LockHandle heldElsewhere(LockTemplate locks) {
        return NewThread.call(() -> locks.acquire(ORDER).detach());
    }

    @Test
    void acquisition_and_hold_are_timed_by_name() {
        application.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            locks.execute(ORDER, () -> {});
            locks.execute(ORDER, () -> locks.execute(ORDER, () -> {}));

            assertThat(acquired("order", "acquired").count()).isEqualTo(2);
            assertThat(meters.get("holdfast.hold").tag("name", "order").timer().count())
                    .isEqualTo(2);
        });
    }

    @Test
    void lock_without_a_name_is_tagged_none_and_no_tag_is_a_key() {
        application.run(context -> {
            context.getBean(LockTemplate.class).execute("customer:jane@example.com", () -> {});

            assertThat(acquired("none", "acquired").count()).isEqualTo(1);
            assertThat(meters.getMeters())
                    .flatExtracting(meter -> meter.getId().getTags())
                    .extracting(Tag::getValue)
                    .noneMatch(value -> value.contains("jane"));
        });
    }

    @Test
    void lock_that_is_not_free_is_an_outcome() {
        application.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            try (LockHandle held = heldElsewhere(locks)) {
                assertThat(locks.tryAcquire(ORDER)).isEmpty();
            }
            assertThat(acquired("order", "not_acquired").count()).isEqualTo(1);
        });
    }

    @Test
    void store_that_fails_is_an_outcome_with_its_error() {
        application.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            store.reachable(false);
            assertThat(catchThrowable(() -> locks.tryAcquire(ORDER))).isNotNull();
            store.reachable(true);

            assertThat(acquired("order", "failed").getId().getTag("error")).isEqualTo("LockStoreException");
        });
    }

    private CompletableFuture<LockHandle> waiting(LockTemplate locks) {
        CompletableFuture<LockHandle> waiter = NewThread.start(() ->
                locks.acquire(ORDER.waitFor(Duration.ofMinutes(1)).fair(true)).detach());
        Awaitility.await().until(() -> gauge("holdfast.waiting", "order") == 1);
        return waiter;
    }

    @Test
    void held_and_waiting_are_what_the_client_knows() {
        application.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            LockHandle held = heldElsewhere(locks);
            CompletableFuture<LockHandle> waiter = waiting(locks);

            assertThat(gauge("holdfast.held", "order")).isEqualTo(1);
            held.close();
            waiter.join().close();
            assertThat(gauge("holdfast.held", "order")).isZero();
            assertThat(gauge("holdfast.waiting", "order")).isZero();
        });
    }

    @Test
    void locks_of_another_name_do_not_count() {
        application.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            locks.execute(LockRequest.of("stock:a").name("stock"), () -> {});
            LockHandle held = heldElsewhere(locks);
            CompletableFuture<LockHandle> waiter = waiting(locks);

            assertThat(gauge("holdfast.held", "stock")).isZero();
            assertThat(gauge("holdfast.waiting", "stock")).isZero();
            held.close();
            waiter.join().close();
        });
    }

    @Test
    void name_has_its_meters_from_the_first_waiter_on() {
        application.run(context -> {
            context.getBean(LockMetrics.class).onEvent(new LockEvent.Waiting(ORDER.key(), "order"));

            assertThat(gauge("holdfast.waiting", "order")).isZero();
            assertThat(meters.get("holdfast.hold").tag("name", "order").timer().count())
                    .isZero();
        });
    }

    @Test
    void messages_that_woke_a_waiter_are_counted() {
        application.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            Awaitility.await()
                    .until(
                            () -> { // a poll may overtake the message
                                LockHandle held = heldElsewhere(locks);
                                CompletableFuture<LockHandle> waiter = waiting(locks);
                                held.close();
                                waiter.join().close();
                                return ((LocalLocks) locks).wakeups() > 0;
                            });

            assertThat(meters.get("holdfast.wakeups").functionCounter().count())
                    .isEqualTo(((LocalLocks) locks).wakeups());
        });
    }

    @Test
    void events_that_no_listener_received_are_counted() {
        application.run(context -> {
            context.getBean(LockTemplate.class).execute(ORDER, () -> {});

            assertThat(meters.get("holdfast.events.dropped").functionCounter().count())
                    .isZero();
        });
    }

    @Test
    void meters_are_registered_once_whatever_names_there_are(CapturedOutput output) {
        atDebug(
                MeterRegistry.class.getName(),
                () -> application.run(context -> {
                    LockTemplate locks = context.getBean(LockTemplate.class);
                    locks.execute(ORDER, () -> {});
                    locks.execute(LockRequest.of("stock:a").name("stock"), () -> {});

                    assertThat(meters.get("holdfast.held").gauges()).hasSize(2);
                    assertThat(meters.get("holdfast.wakeups").functionCounters())
                            .hasSize(1);
                    assertThat(output).doesNotContain("already registered");
                }));
    }

    /** Micrometer warns once in a JVM, and then goes on at DEBUG. */
    private static void atDebug(String logger, Runnable body) {
        LoggingSystem logging = LoggingSystem.get(MetricsTest.class.getClassLoader());
        logging.setLogLevel(logger, LogLevel.DEBUG);
        try {
            body.run();
        } finally {
            logging.setLogLevel(logger, null);
        }
    }

    @Test
    void handoffs_within_the_client_are_counted() {
        application.run(context -> {
            LockListener metrics = context.getBean(LockMetrics.class);
            metrics.onEvent(new LockEvent.Acquired(ORDER.key(), "order", 1, Duration.ZERO, false, Optional.empty(), 0));
            metrics.onEvent(new LockEvent.Acquired(ORDER.key(), "order", 2, Duration.ZERO, true, Optional.empty(), 0));
            metrics.onEvent(new LockEvent.Acquired(ORDER.key(), "order", 3, Duration.ZERO, true, Optional.empty(), 0));

            assertThat(meters.get("holdfast.handoffs")
                            .tag("name", "order")
                            .counter()
                            .count())
                    .isEqualTo(2);
        });
    }

    @Test
    void renewals_are_counted_by_outcome() {
        application.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            try (LockHandle held = locks.acquire(ORDER.lease(Duration.ofSeconds(6)))) {
                Awaitility.await()
                        .until(() -> meters.get("holdfast.renewals")
                                        .tag("outcome", "renewed")
                                        .counter()
                                        .count()
                                > 0);
                held.ensureHeld();
            }
            assertThat(meters.get("holdfast.renewals")
                            .tag("outcome", "failed")
                            .counter()
                            .count())
                    .isZero();
        });
    }

    /** What watches for an increase does not see that of a counter that begins at one. */
    @Test
    void losses_are_counted_from_zero() {
        application.run(context -> {
            context.getBean(LockTemplate.class).execute(ORDER, () -> {});
            assertThat(meters.find("holdfast.lost").tag("name", "order").counters())
                    .hasSameSizeAs(LossCause.values())
                    .allMatch(counter -> counter.count() == 0);
        });
    }

    @Test
    void failed_renewals_and_the_loss_they_lead_to_are_counted() {
        application.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            LockHandle held = locks.acquire(ORDER.lease(Duration.ofSeconds(3)));
            store.reachable(false);
            Awaitility.await()
                    .untilAsserted(() -> assertThat(meters.find("holdfast.lost")
                                    .tag("name", "order")
                                    .tag("cause", "expired")
                                    .counters())
                            .extracting(Counter::count)
                            .containsExactly(1.0));
            store.reachable(true);

            assertThat(meters.get("holdfast.renewals")
                            .tag("outcome", "failed")
                            .counter()
                            .count())
                    .isPositive();
            assertThat(meters.get("holdfast.hold").tag("name", "order").timer().count())
                    .isEqualTo(1);
            assertThat(held.isHeld()).isFalse();
        });
    }

    @Test
    void forced_releases_are_counted() {
        application.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            locks.acquire(ORDER);
            locks.forceRelease("order:42");

            assertThat(meters.get("holdfast.forced.releases").counter().count()).isEqualTo(1);
        });
    }

    @Test
    void names_made_from_data_do_not_make_meters_without_end(CapturedOutput output) {
        application
                .withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class))
                .run(context -> {
                    LockTemplate locks = context.getBean(LockTemplate.class);
                    for (int i = 0; i < LockMetrics.MAX_NAMES + 50; i++) {
                        locks.execute(LockRequest.of("key").name("name-" + i), () -> {});
                    }

                    assertThat(meters.find("holdfast.hold").timers()).hasSize(LockMetrics.MAX_NAMES);
                    assertThat(meters.find("holdfast.acquire").timers()).hasSize(LockMetrics.MAX_NAMES);
                    assertThat(meters.find("holdfast.held").gauges()).hasSize(LockMetrics.MAX_NAMES);
                    assertThat(output).containsOnlyOnce("Check whether the names of locks contain data");
                });
    }

    @Test
    void two_applications_in_one_jvm_have_meters_of_their_own() {
        MeterRegistry others = new SimpleMeterRegistry();
        application.run(context -> Runners.inMemory()
                .withBean(MeterRegistry.class, () -> others)
                .run(other -> {
                    other.getBean(LockTemplate.class).execute(ORDER, () -> {});

                    assertThat(meters.find("holdfast.acquire").timer()).isNull();
                    assertThat(others.find("holdfast.acquire").timer()).isNotNull();
                }));
    }

    @Test
    void template_of_the_applications_own_has_no_meters_unless_it_tells() {
        LockTemplate own = org.mockito.Mockito.mock(LockTemplate.class);
        Runners.starter()
                .withBean(LockTemplate.class, () -> own)
                .withBean(MeterRegistry.class, () -> meters)
                .run(context -> {
                    context.getBean(LockMetrics.class).onEvent(new LockEvent.Waiting(ORDER.key(), "order"));

                    assertThat(meters.find("holdfast.held").gauge()).isNull();
                });
    }

    @Test
    void without_a_registry_there_are_none() {
        Runners.inMemory().run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockMetrics.class));
    }

    @Test
    void without_micrometer_there_are_none() {
        Runners.inMemory()
                .withClassLoader(new FilteredClassLoader("io.micrometer.core", "io.micrometer.observation"))
                .run(context -> {
                    assertThat(context)
                            .hasNotFailed()
                            .doesNotHaveBean("holdfastMetrics")
                            .doesNotHaveBean("lockObservations");
                    context.getBean(LockTemplate.class).execute(ORDER, () -> {});
                });
    }
}
