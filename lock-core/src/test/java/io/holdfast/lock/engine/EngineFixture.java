package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.StoreSpy;
import io.holdfast.lock.threads.Pause;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;

/** An engine, and another client, on virtual time and a store in memory: waiting lets the time pass. */
abstract class EngineFixture {

    static final String KEY = "order:42";
    private static final Duration STEP = Duration.ofMillis(10);

    final FakeTicker time = new FakeTicker();
    final StoreSpy store = new StoreSpy(new InMemoryLockStore(time, time));
    final List<LockEvent> events = new CopyOnWriteArrayList<>();
    final Pause pause = nanos -> {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        time.pass(Duration.ofNanos(Math.min(nanos, STEP.toNanos())));
        keepEntries();
    };
    final LockEngine locks = engine(events::add);
    final LockEngine others = engine(event -> {});

    private void keepEntries() {
        VirtualTime.keepEntries(locks);
        VirtualTime.keepEntries(others);
    }

    final LockEngine engine(LockListener listener) {
        return VirtualTime.builder(store)
                .ticker(time)
                .pause(pause)
                .listener(listener)
                .build();
    }

    @AfterEach
    final void close() {
        Thread.interrupted();
        store.reachable(true);
        store.after = () -> {};
        locks.close();
        others.close();
    }

    static <T> T onAnotherThread(Supplier<T> work) {
        return NewThread.call(work);
    }

    /** The clock of a client sleeps by real time, and looks at the virtual one whenever it is woken. */
    static void eventuallyByTheClock(Callable<Boolean> condition) {
        Awaitility.await().until(() -> {
            Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("holdfast-clock"))
                    .forEach(LockSupport::unpark);
            return condition.call();
        });
    }

    final boolean isFree() {
        return store.inspect(io.holdfast.lock.api.LockKey.of(KEY)).holder().isEmpty();
    }

    static Throwable catchThrowable(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return org.assertj.core.api.Assertions.catchThrowable(call);
    }
}
