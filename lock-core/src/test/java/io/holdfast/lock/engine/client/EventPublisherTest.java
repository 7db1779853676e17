package io.holdfast.lock.engine.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class EventPublisherTest {

    private final EventPublisher events = new EventPublisher(List.of());

    @Test
    void what_is_still_to_be_told_is_told_before_the_end() throws InterruptedException {
        AtomicReference<Thread.State> closing = new AtomicReference<>();
        Thread closer = new Thread(events::close);
        events.later(() -> closing.set(stateOnceItStandsStill(closer)));

        closer.start();
        closer.join();

        assertThat(closing).hasValue(Thread.State.TIMED_WAITING);
    }

    private static Thread.State stateOnceItStandsStill(Thread thread) {
        Thread.State state = thread.getState();
        while (state != Thread.State.TIMED_WAITING && state != Thread.State.TERMINATED) {
            Thread.onSpinWait();
            state = thread.getState();
        }
        return state;
    }

    @Test
    void event_is_not_worth_making_while_no_listener_listens() {
        AtomicBoolean listening = new AtomicBoolean();
        LockListener listener = new LockListener() {
            @Override
            public void onEvent(LockEvent event) {}

            @Override
            public boolean isListening() {
                return listening.get();
            }
        };
        EventPublisher some = new EventPublisher(List.of(() -> List.of(listener)));
        some.publish(new LockEvent.Renewed(1, Duration.ZERO));

        assertThat(some.hasListeners()).isFalse();
        listening.set(true);
        assertThat(some.hasListeners()).isTrue();
        some.close();
    }

    @Test
    void listener_that_fails_to_say_whether_it_listens_harms_nobody() {
        LockListener failing = new LockListener() {
            @Override
            public void onEvent(LockEvent event) {}

            @Override
            public boolean isListening() {
                throw new IllegalStateException("on purpose");
            }
        };
        EventPublisher some = new EventPublisher(List.of(() -> List.of(failing)));
        some.publish(new LockEvent.Renewed(1, Duration.ZERO));

        assertThat(some.hasListeners()).isTrue();
        some.close();
    }

    @Test
    void listener_may_close_the_client() {
        CompletableFuture<String> closed = new CompletableFuture<>();
        events.later(() -> {
            events.close();
            closed.complete("closed");
        });

        assertThat(closed.join()).isEqualTo("closed");
    }

    @Test
    void interrupt_is_kept() {
        events.later(() -> {});
        Thread.currentThread().interrupt();

        events.close();

        assertThat(Thread.interrupted()).isTrue();
    }
}
