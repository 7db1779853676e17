package io.holdfast.lock.spring.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.spring.Runners;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.context.event.EventListener;

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
                .withPropertyValues("holdfast.shutdown.await=0")
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

    @Test
    void can_be_switched_off() {
        Runners.inMemory()
                .withBean(Listener.class)
                .withPropertyValues("holdfast.events.publish=false")
                .run(context -> {
                    context.getBean(LockTemplate.class).execute(ORDER, () -> {});

                    assertThat(context.getBean(Listener.class).all).isEmpty();
                });
    }
}
