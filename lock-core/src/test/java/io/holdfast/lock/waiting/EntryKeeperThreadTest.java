package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread that asks for the entries: it sleeps while there are none, and is woken for a new one. */
@Timeout(60)
class EntryKeeperThreadTest {

    private static final LockKey KEY = LockKey.of("order:42");

    private final StoreSpy store = new StoreSpy(new InMemoryLockStore());
    private final Set<Thread> before = Thread.getAllStackTraces().keySet();
    private final EntryKeeper keeper = new EntryKeeper(store, "client", Ticker.SYSTEM, true, sequence -> {});
    private long lastSequence;

    @AfterEach
    void close() {
        keeper.close();
    }

    private QueueEntry taken() {
        QueueEntry entry = keeper.open(KEY, new OwnerId("client", ++lastSequence));
        keeper.taken(
                entry, System.nanoTime(), new AcquireReply.Held(Optional.empty(), 0, Duration.ofMillis(10), 1, false));
        return entry;
    }

    private Thread thread() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("holdfast-queue") && !before.contains(thread))
                .findFirst()
                .orElseThrow();
    }

    /** It has nothing to do for an hour. */
    private Thread sleeping() {
        QueueEntry entry = taken();
        Thread thread = thread();
        Awaitility.await().until(() -> store.polls.size() >= 2);
        keeper.giveUp(entry);
        int asked = store.polls.size();
        Awaitility.await()
                .pollDelay(Duration.ofMillis(200)) // longer than until the entry that was given up would have been due
                .until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        assertThat(store.polls).hasSizeLessThanOrEqualTo(asked + 1);
        return thread;
    }

    @Test
    void entry_wakes_a_keeper_that_had_none() {
        sleeping();
        int asked = store.polls.size();

        taken();

        Awaitility.await().until(() -> store.polls.size() > asked);
    }

    @Test
    void closing_ends_the_thread_of_a_keeper_that_sleeps() {
        Thread thread = sleeping();

        keeper.close();

        Awaitility.await().until(() -> !thread.isAlive());
    }

    @Test
    void error_ends_neither_the_thread_nor_the_wait() {
        AtomicBoolean broken = new AtomicBoolean(true);
        store.before = () -> {
            if (broken.getAndSet(false)) {
                throw new AssertionError("on purpose");
            }
        };
        QueueEntry entry = taken();

        Awaitility.await().until(() -> store.polls.size() >= 2 && entry.hasMetFailure());

        assertThat(thread().isAlive()).isTrue();
    }
}
