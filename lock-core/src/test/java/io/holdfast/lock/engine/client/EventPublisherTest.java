package io.holdfast.lock.engine.client;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.testing.CapturedLog;
import io.holdfast.lock.testing.NewThread;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventPublisherTest {

    private final EventPublisher events = new EventPublisher(List.of());

    @Test
    void what_is_still_to_be_told_is_told_before_the_end() throws InterruptedException {
        AtomicReference<Thread.State> closing = new AtomicReference<>();
        Thread closer = new Thread(events::close);
        events.later(() -> closing.set(NewThread.stateAtRest(closer)));

        closer.start();
        closer.join();

        assertThat(closing).hasValue(Thread.State.TIMED_WAITING);
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

    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, IOException.class})
    void listener_that_fails_to_say_whether_it_listens_harms_nobody(Class<? extends Throwable> kind) {
        LockListener failing = new LockListener() {
            @Override
            public void onEvent(LockEvent event) {}

            @Override
            public boolean isListening() {
                throw EventPublisherTest.<RuntimeException>instance(kind);
            }
        };
        EventPublisher some = new EventPublisher(List.of(() -> List.of(failing)));
        some.publish(new LockEvent.Renewed(1, Duration.ZERO));

        assertThat(some.hasListeners()).isTrue();
        some.close();
    }

    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, IOException.class})
    void listeners_that_are_not_available_yet_harm_nobody(Class<? extends Throwable> kind) {
        EventPublisher some = new EventPublisher(List.of(() -> {
            throw EventPublisherTest.<RuntimeException>instance(kind);
        }));

        assertThat(some.begin(LockKey.of("order:42"), "")).isSameAs(LockListener.AcquisitionObserver.UNOBSERVED);
        some.close();
    }

    /** Kotlin and Lombok throw checked exceptions from everywhere. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E instance(Class<? extends Throwable> kind) throws E {
        try {
            throw (E) kind.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** It would have to end before its own end. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void listener_or_loss_action_that_closes_the_client_does_not_wait_for_itself(boolean byListener) {
        CompletableFuture<Thread> closing = new CompletableFuture<>();
        AtomicReference<EventPublisher> client = new AtomicReference<>();
        Runnable close = () -> {
            closing.complete(Thread.currentThread());
            client.get().close();
        };
        client.set(new EventPublisher(List.of(() -> List.of(event -> close.run()))));

        if (byListener) {
            client.get().publishLater(new LockEvent.Renewed(1, Duration.ZERO));
        } else {
            client.get().later(close);
        }

        assertThat(NewThread.stateAtRest(closing.join())).isEqualTo(Thread.State.TERMINATED);
    }

    @Test
    void interrupt_is_kept() {
        events.later(() -> {});
        Thread.currentThread().interrupt();

        events.close();

        assertThat(Thread.interrupted()).isTrue();
    }

    /** A listener of a client that blocks until it is let go. */
    private static EventPublisher blocked(CountDownLatch letGo, AtomicInteger captured) {
        return new EventPublisher(List.of(() -> List.of(event -> {
            await(letGo);
            captured.incrementAndGet();
        })));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void loss_action_does_not_wait_for_a_listener_or_for_the_action_of_another_lock() throws InterruptedException {
        CountDownLatch letGo = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        EventPublisher some = blocked(letGo, new AtomicInteger());
        some.publishLater(new LockEvent.Renewed(1, Duration.ZERO));
        some.later(() -> await(letGo));

        some.later(done::countDown);

        await(done);
        letGo.countDown();
        some.close();
    }

    @Test
    void events_beyond_ten_thousand_are_dropped_and_counted_and_logged_once() throws InterruptedException {
        CountDownLatch letGo = new CountDownLatch(1);
        AtomicInteger captured = new AtomicInteger();
        EventPublisher some = blocked(letGo, captured);
        try (CapturedLog log = new CapturedLog(EventPublisher.class.getName(), Level.WARN)) {
            int sent = 0;
            while (some.dropped() < 3) {
                some.publishLater(new LockEvent.Renewed(1, Duration.ZERO));
                sent++;
            }
            assertThat(sent).isBetween(10_003, 10_004); // one has begun, or is about to
            letGo.countDown();
            int all = sent - 3;
            Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> captured.get() == all);
            some.publishLater(new LockEvent.Renewed(1, Duration.ZERO));
            Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> captured.get() > all);
            some.close();

            assertThat(captured).hasValue(all + 1);
            assertThat(some.dropped()).isEqualTo(3);
            assertThat(log.events())
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .containsExactly(
                            "10000 events for lock listeners are waiting, and further ones are dropped, because earlier ones"
                                    + " are blocked. Look for holdfast-listeners in a thread dump.",
                            "The backlog of events for lock listeners has been cleared; 3 have been dropped so far");
        }
    }

    @Test
    void loss_actions_beyond_ten_thousand_are_not_run_and_logged_once() throws InterruptedException {
        CountDownLatch letGo = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(8);
        AtomicInteger run = new AtomicInteger();
        EventPublisher some = new EventPublisher(List.of());
        try (CapturedLog log = new CapturedLog(EventPublisher.class.getName(), Level.WARN)) {
            for (int i = 0; i < 8; i++) {
                some.later(() -> {
                    blocked.countDown();
                    await(letGo);
                });
            }
            await(blocked);
            for (int i = 0; i < 10_003; i++) {
                some.later(run::incrementAndGet);
            }
            letGo.countDown();
            Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> run.get() == 10_000);
            some.close();

            assertThat(run).hasValue(10_000);
            assertThat(log.events())
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .containsExactly(
                            "10000 onLost actions are waiting, and further ones are dropped, because earlier ones are blocked."
                                    + " Look for holdfast-on-lost- in a thread dump.",
                            "The backlog of onLost actions has been cleared; 3 have been dropped so far");
        }
    }
}
