package io.holdfast.lock.engine.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.waiting.LocalQueue.Place;
import io.holdfast.lock.waiting.QueueEntry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What a thread may reenter, what the client holds, and whom a loss interrupts. */
class HeldLocksTest extends WatchdogFixture {

    private static final Terms INTERRUPTIBLE = Terms.of(LockRequest.of(KEY).interruptOnLoss(true), Terms.STANDARD);

    @Test
    void what_a_thread_adopts_is_its_own_while_the_action_runs() {
        Map<LockKey, Hold> own = locks.ofCurrentThread();
        Map<LockKey, Hold> adopted = new HashMap<>();

        locks.adopt(adopted, () -> assertThat(locks.ofCurrentThread()).isSameAs(adopted));

        assertThat(locks.ofCurrentThread()).isSameAs(own);
    }

    /** Whoever reports the loss has seen the handle before it ended, and comes to interrupt it only now. */
    @Test
    void loss_that_is_reported_late_interrupts_nobody() {
        Hold hold = acquired(KEY, LEASE, false);
        Hold.Use use = hold.open(INTERRUPTIBLE, null);
        Handle handle = new Handle(locks, new HashMap<>(), List.of(use));
        handle.interruptOnLoss();
        handle.close();

        use.interrupt();

        assertThat(Thread.interrupted()).isFalse();
    }

    /** Its thread has asked for the interrupt just when another one has reported the loss. */
    @Test
    void loss_that_was_reported_before_the_interrupt_was_asked_for_interrupts() {
        Hold hold = acquired(KEY, LEASE, true);
        hold.lose(LossCause.REVOKED);

        new Handle(locks, new HashMap<>(), List.of(hold.open(INTERRUPTIBLE, null))).interruptOnLoss();

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void drain_ends_with_the_last_hold_that_is_not_lost() throws InterruptedException {
        Hold lost = acquired(KEY, LEASE, true);
        Hold held = acquired(LockKey.of("other"), LEASE, true);
        assertThat(locks.drain(Duration.ZERO)).isFalse();
        lost.lose(LossCause.REVOKED);
        assertThat(locks.drain(Duration.ZERO)).isFalse();

        close(held);

        assertThat(locks.drain(Duration.ZERO)).isTrue();
    }

    /** Not only when its handle is closed: its holder may hang. */
    @Test
    void next_one_in_line_may_go_to_the_store_as_soon_as_the_lock_is_lost() {
        Place front = client.queue().enter(KEY, "terms", () -> {});
        Place next = client.queue().enter(KEY, "terms", () -> {});
        Handle handle = opened(front);
        assertThat(next.isInLine()).isTrue();

        Holds.of(handle).lose(LossCause.REVOKED);

        assertThat(next.isInLine()).isFalse();
        assertThat(handle.isHeld()).isFalse();
    }

    /** Without room on its disk, for example. */
    @Test
    void loss_that_cannot_be_logged_is_reported_to_everybody_else_and_fails_nobody() {
        Place front = client.queue().enter(KEY, "terms", () -> {});
        Place next = client.queue().enter(KEY, "terms", () -> {});
        CompletableFuture<LockEvent.Lost> reported = new CompletableFuture<>();
        Handle handle = opened(front);
        handle.onLost(reported::complete);
        Logger log = (Logger) LoggerFactory.getLogger(HeldLocks.class);
        Appender<ILoggingEvent> full = mock();
        doThrow(new IllegalStateException("No space left on device")).when(full).doAppend(any());
        log.addAppender(full);
        log.setLevel(Level.WARN);
        try {
            Holds.of(handle).lose(LossCause.REVOKED);
        } finally {
            log.setLevel(null);
            log.detachAppender(full);
        }
        verify(full).doAppend(any());

        assertThat(next.isInLine()).isFalse();
        assertThat(reported).succeedsWithin(Duration.ofMinutes(1));
    }

    private Handle opened(Place front) {
        var grant = new QueueEntry.Grant(
                new OwnerId("client", 1),
                1,
                time.nanos(),
                time.nanos() + LEASE.toNanos(),
                1,
                Waiters.NONE,
                true,
                false);
        Caller caller = Caller.task(() -> {});
        return locks.open(Holds.of(KEY, Holds.terms(LEASE)), grant, new HolderInfo("host", 1, "main"), front, caller);
    }

    @Test
    void drain_during_a_suspension_does_not_keep_the_client_from_resuming() throws InterruptedException {
        locks.suspend(Duration.ZERO);

        assertThat(locks.drain(Duration.ZERO)).isTrue();
        locks.resume();

        assertThatCode(locks::ensureOpen).doesNotThrowAnyException();
    }
}
