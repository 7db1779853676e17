package io.holdfast.lock.spring.autoconfigure.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.observation.DefaultLockObservationConvention;
import io.holdfast.lock.spring.observation.LockObservationContext;
import io.holdfast.lock.spring.observation.LockObservationConvention;
import io.holdfast.lock.spring.observation.LockObservationDocumentation;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.StoreSpy;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class ObservationTest {

    private static final LockRequest ORDER = LockRequest.of("order:42").name("order");

    private final StoreSpy store = new StoreSpy(new InMemoryLockStore());
    private final TestObservationRegistry observations = TestObservationRegistry.create();
    private final ApplicationContextRunner application = Runners.starter()
            .withBean(StoreSpy.class, () -> store)
            .withBean(ObservationRegistry.class, () -> observations);

    static class Payments {
        @DistributedLock(name = "payment", key = "#id")
        public String pay(long id) {
            return "paid";
        }
    }

    @Test
    void acquisition_is_observed() {
        application.run(context -> {
            context.getBean(LockTemplate.class).execute(ORDER, () -> {
                assertThat(observations.getCurrentObservation()).isNull();
            });

            TestObservationRegistryAssert.assertThat(observations)
                    .hasSingleObservationThat()
                    .hasNameEqualTo("holdfast.acquire")
                    .hasContextualNameEqualTo("acquire lock order")
                    .hasLowCardinalityKeyValue("name", "order")
                    .hasLowCardinalityKeyValue("outcome", "acquired")
                    .doesNotHaveHighCardinalityKeyValueWithKey("holdfast.key")
                    .hasBeenStarted()
                    .hasBeenStopped();
        });
    }

    @Test
    void acquisition_of_an_annotated_method_belongs_to_what_calls_it() {
        application.withBean(Payments.class).run(context -> {
            Observation parent = Observation.start("request", observations);
            try (Observation.Scope scope = parent.openScope()) {
                context.getBean(Payments.class).pay(7);
                assertThat(observations.getCurrentObservation()).isSameAs(parent);
            }
            parent.stop();

            TestObservationRegistryAssert.assertThat(observations)
                    .hasObservationWithNameEqualTo("holdfast.acquire")
                    .that()
                    .hasParentObservationEqualTo(parent);
        });
    }

    @Test
    void what_the_store_does_for_it_belongs_to_the_acquisition() {
        application.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            Observation[] atStore = new Observation[1];
            store.beforeAcquire = () -> atStore[0] = observations.getCurrentObservation();
            locks.execute(ORDER, () -> {});

            assertThat(atStore[0].getContext()).isInstanceOf(LockObservationContext.class);
        });
    }

    @Test
    void reentry_waits_for_nothing_and_is_no_observation() {
        application.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            locks.execute(ORDER, () -> locks.execute(ORDER, () -> {}));

            TestObservationRegistryAssert.assertThat(observations).hasNumberOfObservationsEqualTo(1);
        });
    }

    @Test
    void lock_that_is_not_free_is_an_outcome_and_no_error() {
        application.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            LockHandle held = NewThread.call(() -> locks.acquire(ORDER).detach());
            observations.clear();
            assertThat(locks.tryAcquire(ORDER)).isEmpty();
            held.close();

            TestObservationRegistryAssert.assertThat(observations)
                    .hasSingleObservationThat()
                    .hasLowCardinalityKeyValue("outcome", "not_acquired")
                    .doesNotHaveError()
                    .hasBeenStopped();
        });
    }

    @Test
    void store_that_fails_is_an_error() {
        application.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            store.reachable(false);
            Throwable failure = catchThrowable(() -> locks.tryAcquire(ORDER));
            store.reachable(true);

            TestObservationRegistryAssert.assertThat(observations)
                    .hasSingleObservationThat()
                    .hasLowCardinalityKeyValue("outcome", "failed")
                    .hasError(failure)
                    .hasBeenStopped();
            assertThat(failure).isInstanceOf(LockStoreException.class);
            assertThat(observations.getCurrentObservation()).isNull();
        });
    }

    @Test
    void each_of_several_locks_is_an_observation() {
        application.run(context -> {
            context.getBean(LockTemplate.class).execute(LockRequest.ofAll(java.util.List.of("a", "b")), () -> {});

            TestObservationRegistryAssert.assertThat(observations).hasNumberOfObservationsEqualTo(2);
        });
    }

    /** Locks when it is told that another thread of its client waits. */
    static class ListenerThatLocks implements LockListener {

        private final LockTemplate locks;
        private boolean once = true;

        ListenerThatLocks(LockTemplate locks) {
            this.locks = locks;
        }

        @Override
        public void onEvent(LockEvent event) {
            if (event instanceof LockEvent.NotAcquired && once) {
                once = false;
                locks.execute("listener", () -> {});
            }
        }
    }

    @Test
    void lock_that_a_listener_takes_meanwhile_is_another_observation() {
        application.withBean(ListenerThatLocks.class).run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            LockHandle held = NewThread.call(() -> locks.acquire(ORDER).detach());
            assertThat(locks.tryAcquire(ORDER)).isEmpty();
            held.close();

            TestObservationRegistryAssert.assertThat(observations)
                    .hasNumberOfObservationsEqualTo(3)
                    .forAllObservationsWithNameEqualTo(
                            "holdfast.acquire", each -> each.hasLowCardinalityKeyValueWithKey("outcome"));
            assertThat(observations.getCurrentObservation()).isNull();
        });
    }

    @Test
    void convention_of_the_application_may_add_the_key() {
        LockObservationConvention withKey = new DefaultLockObservationConvention() {
            @Override
            public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
                return KeyValues.of("holdfast.key", context.getKey().toString());
            }
        };
        application.withBean(LockObservationConvention.class, () -> withKey).run(context -> {
            context.getBean(LockTemplate.class).execute(ORDER, () -> {});

            TestObservationRegistryAssert.assertThat(observations)
                    .hasSingleObservationThat()
                    .hasLowCardinalityKeyValue("name", "order")
                    .hasHighCardinalityKeyValue("holdfast.key", "order:42");
        });
    }

    @Test
    void convention_of_the_application_wins() {
        LockObservationConvention own = new LockObservationConvention() {
            @Override
            public String getName() {
                return "shop.lock";
            }

            @Override
            public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
                return KeyValues.of(KeyValue.of("use", context.getLockName()));
            }
        };
        application.withBean(LockObservationConvention.class, () -> own).run(context -> {
            context.getBean(LockTemplate.class).execute(ORDER, () -> {});

            TestObservationRegistryAssert.assertThat(observations)
                    .hasSingleObservationThat()
                    .hasNameEqualTo("shop.lock")
                    .hasLowCardinalityKeyValue("use", "order");
        });
    }

    static class GlobalConvention implements GlobalObservationConvention<LockObservationContext> {

        @Override
        public String getName() {
            return "global";
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof LockObservationContext;
        }
    }

    @Test
    void convention_of_the_application_precedes_a_global_one() {
        observations.observationConfig().observationConvention(new GlobalConvention());
        LockObservationConvention own = new DefaultLockObservationConvention() {
            @Override
            public String getName() {
                return "own";
            }
        };
        application.withBean(LockObservationConvention.class, () -> own).run(context -> {
            context.getBean(LockTemplate.class).execute(ORDER, () -> {});
            TestObservationRegistryAssert.assertThat(observations)
                    .hasSingleObservationThat()
                    .hasNameEqualTo("own");
        });
    }

    @Test
    void global_convention_precedes_that_of_the_starter() {
        observations.observationConfig().observationConvention(new GlobalConvention());
        application.run(context -> {
            context.getBean(LockTemplate.class).execute(ORDER, () -> {});
            TestObservationRegistryAssert.assertThat(observations)
                    .hasSingleObservationThat()
                    .hasNameEqualTo("global");
        });
    }

    @Test
    void documented_names_are_those_of_the_convention() {
        LockObservationContext context = new LockObservationContext(LockKey.of("order:42"), "order");
        assertThat(LockObservationDocumentation.ACQUIRE.getDefaultConvention())
                .isEqualTo(DefaultLockObservationConvention.class);
        assertThat(new DefaultLockObservationConvention().getLowCardinalityKeyValues(context))
                .extracting(KeyValue::getKey)
                .containsExactlyElementsOf(Stream.of(LockObservationDocumentation.ACQUIRE.getLowCardinalityKeyNames())
                        .map(KeyName::asString)
                        .toList());

        assertThat(new DefaultLockObservationConvention().getHighCardinalityKeyValues(context))
                .isEmpty();
        LockHolder holder = new HolderInfo(
                        "shop-1", 1, "main", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                .holding("client", Instant.EPOCH, Duration.ZERO, 1, LockMode.EXCLUSIVE, false);
        context.setBlockedBy(holder, Duration.ofSeconds(2), 1);
        assertThat(new DefaultLockObservationConvention().getHighCardinalityKeyValues(context))
                .extracting(KeyValue::getKey)
                .containsExactlyElementsOf(Stream.of(LockObservationDocumentation.ACQUIRE.getHighCardinalityKeyNames())
                        .map(KeyName::asString)
                        .toList());
    }

    @Test
    void observation_that_is_timed_already_is_not_timed_twice() {
        MeterRegistry meters = new SimpleMeterRegistry();
        DefaultMeterObservationHandler handler = new DefaultMeterObservationHandler(meters);
        observations.observationConfig().observationHandler(handler);
        application
                .withBean(MeterRegistry.class, () -> meters)
                .withBean(MeterObservationHandler.class, () -> handler)
                .run(context -> {
                    context.getBean(LockTemplate.class).execute(ORDER, () -> {});

                    assertThat(meters.get("holdfast.acquire")
                                    .tag("name", "order")
                                    .tag("outcome", "acquired")
                                    .tag("error", "none")
                                    .timer()
                                    .count())
                            .isEqualTo(1);
                });
    }
}
