package io.holdfast.lock.spring.autoconfigure.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.WebApplication;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.GenericApplicationContext;

class ApplicationEventTest {

    private static final LockRequest ORDER = LockRequest.of("order:42").name("order");

    static class Listener {

        final List<LockEvent> all = new CopyOnWriteArrayList<>();
        final List<LockEvent.Lost> losses = new CopyOnWriteArrayList<>();
        final List<Thread> threads = new CopyOnWriteArrayList<>();

        @EventListener
        void onAny(LockEvent event) {
            all.add(event);
            threads.add(Thread.currentThread());
        }

        @EventListener
        void onLost(LockEvent.Lost loss) {
            losses.add(loss);
        }
    }

    @Test
    void what_happens_to_locks_is_published_on_the_thread_that_caused_it() {
        Runners.inMemory().withBean(Listener.class).run(context -> {
            context.getBean(LockTemplate.class).execute(ORDER, () -> {});

            Listener listener = context.getBean(Listener.class);
            assertThat(listener.all)
                    .extracting(event -> (Object) event.getClass())
                    .containsExactly(LockEvent.Acquired.class, LockEvent.Released.class);
            assertThat(listener.threads).containsOnly(Thread.currentThread());
            assertThat(listener.losses).isEmpty();
        });
    }

    @Test
    void loss_at_the_end_of_the_application_is_heard_of() {
        Runners.inMemory()
                .withBean(Listener.class)
                .withPropertyValues("holdfast.shutdown.timeout=0s")
                .run(context -> {
                    LockHandle held = context.getBean(LockTemplate.class).acquire(ORDER);
                    Listener listener = context.getBean(Listener.class);

                    context.getSourceApplicationContext().close();

                    assertThat(listener.losses)
                            .extracting(LockEvent.Lost::cause)
                            .containsExactly(LossCause.CLOSED);
                    assertThat(held.isHeld()).isFalse();
                });
    }

    /** Locks before the application has been put together. */
    static class EarlyLocker {
        EarlyLocker(LockTemplate locks) {
            locks.execute("early", () -> {});
        }
    }

    @Test
    void lock_may_be_taken_before_anybody_can_listen() {
        Runners.inMemory().withBean(EarlyLocker.class).withBean(Listener.class).run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(LockTemplate.class).execute(ORDER, () -> {});

            Awaitility.await()
                    .untilAsserted(() -> assertThat(context.getBean(Listener.class).all)
                            .filteredOn(LockEvent.Acquired.class::isInstance)
                            .extracting(event -> ((LockEvent.Acquired) event).name())
                            .contains("order"));
        });
    }

    @Test
    void nothing_is_published_once_the_beans_are_destroyed() {
        List<Object> published = new CopyOnWriteArrayList<>();
        LockEventPublisher publisher = new LockEventPublisher(published::add);
        publisher.onEvent(new LockEvent.Waiting(ORDER.key(), "order"));
        publisher.destroy();
        publisher.onEvent(new LockEvent.Waiting(ORDER.key(), "order"));

        assertThat(published).hasSize(1);
    }

    private static boolean isVisibleIn(ApplicationContext context) {
        return context.getBean(LockEventPublisher.class).isListening();
    }

    /** So that a listener of any kind is somebody. */
    @Test
    void publisher_knows_every_kind_of_event() {
        List<Class<?>> kinds = Stream.of(LockEvent.class.getDeclaredClasses())
                .filter(Class::isRecord)
                .toList();
        List<Class<?>> known = new ArrayList<>();
        LockEventPublisher.Types.ALL.forEach(
                type -> known.add(type.getGeneric(0).resolve()));
        assertThat(known).containsExactlyInAnyOrderElementsOf(kinds);
    }

    @Test
    void no_event_is_made_while_nobody_listens() {
        Runners.inMemory().run(context -> {
            assertThat(isVisibleIn(context)).isFalse();

            List<Object> received = new CopyOnWriteArrayList<>();
            ApplicationListener<PayloadApplicationEvent<LockEvent.Acquired>> late =
                    ApplicationListener.forPayload(received::add);
            context.getSourceApplicationContext().addApplicationListener(late);
            assertThat(isVisibleIn(context)).isTrue();
            context.getBean(LockTemplate.class).execute(ORDER, () -> {});
            assertThat(received).isNotEmpty();
        });
    }

    static class OtherListener implements ApplicationListener<PayloadApplicationEvent<String>> {
        @Override
        public void onApplicationEvent(PayloadApplicationEvent<String> event) {}
    }

    @Test
    void listener_that_takes_the_place_of_another_is_noticed() {
        Runners.inMemory().run(context -> {
            ApplicationListener<?> other = new OtherListener();
            ConfigurableApplicationContext application = context.getSourceApplicationContext();
            application.addApplicationListener(other);
            assertThat(isVisibleIn(context)).isFalse();

            application.removeApplicationListener(other);
            ApplicationListener<PayloadApplicationEvent<LockEvent.Lost>> late =
                    ApplicationListener.forPayload(event -> {});
            application.addApplicationListener(late);
            Awaitility.await().until(() -> isVisibleIn(context));
        });
    }

    static class Applications {
        @EventListener
        void onAny(ApplicationReadyEvent event) {}
    }

    static class Everything {
        @EventListener
        void onAny(Object event) {}
    }

    static class Losses {
        @EventListener
        void onLost(LockEvent.Lost loss) {}
    }

    @Test
    void who_listens_to_something_else_is_nobody() {
        Runners.inMemory()
                .withBean(Applications.class)
                .run(context -> assertThat(isVisibleIn(context)).isFalse());
    }

    @ParameterizedTest
    @ValueSource(classes = {Listener.class, Losses.class, Everything.class})
    void who_listens_to_some_of_them_is_somebody(Class<?> listener) {
        Runners.inMemory()
                .withBean(listener)
                .run(context -> assertThat(isVisibleIn(context)).isTrue());
    }

    @Test
    void listener_of_the_parent_application_is_somebody() {
        new ApplicationContextRunner()
                .withBean(Losses.class)
                .run(parent -> Runners.inMemory()
                        .withParent(parent)
                        .run(context -> assertThat(isVisibleIn(context)).isTrue()));
    }

    @Test
    void listener_that_is_made_by_its_first_event_is_somebody() {
        Runners.inMemory()
                .withInitializer(context -> ((GenericApplicationContext) context)
                        .registerBean(
                                "late",
                                ApplicationListener.class,
                                () -> ApplicationListener.forPayload(event -> {}),
                                definition -> definition.setLazyInit(true)))
                .run(context -> assertThat(isVisibleIn(context)).isTrue());
    }

    @Test
    void web_application_with_actuator_has_no_listener_of_its_own() {
        try (WebApplication application = WebApplication.start(Applications.class)) {
            assertThat(application.bean(LockEventPublisher.class).isListening()).isFalse();
        }
    }

    @Test
    void can_be_switched_off() {
        Runners.inMemory()
                .withBean(Listener.class)
                .withPropertyValues("holdfast.events.enabled=false")
                .run(context -> {
                    context.getBean(LockTemplate.class).execute(ORDER, () -> {});

                    assertThat(context.getBean(Listener.class).all).isEmpty();
                });
    }
}
