package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.scan.RecordedWait;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a refused caller asks the store why, and what becomes of it if the store does not answer. */
class BlockageTest {

    private final AtomicInteger looks = new AtomicInteger();
    private volatile Runnable look = () -> {};
    private final StoreSpy store = new StoreSpy(new InMemoryLockStore()) {
        @Override
        public List<RecordedWait> recordedWaits() {
            looks.incrementAndGet();
            look.run();
            return super.recordedWaits();
        }
    };
    private final LockEngine holder = LockEngine.builder(store).build();
    private final LockEngine locks = LockEngine.builder(store).build();
    private final LockRequest request = LockRequest.of("k").waitFor(Duration.ofMillis(1));

    @BeforeEach
    void hold() {
        LockHandle unused = holder.acquire(request).detach();
    }

    @AfterEach
    void close() {
        boolean unused = Thread.interrupted();
        locks.close();
        holder.close();
    }

    private void isRefused() {
        assertThatThrownBy(() -> locks.acquire(request)).isInstanceOf(LockNotAcquiredException.class);
    }

    @Test
    void wait_in_vain_makes_one_call() {
        isRefused();

        assertThat(looks).hasValue(1);
    }

    @Test
    void single_try_makes_none() {
        assertThatThrownBy(() -> locks.acquire(request.waitFor(Duration.ZERO)))
                .isInstanceOf(LockNotAcquiredException.class);
        assertThat(locks.tryExecute(request.waitFor(Duration.ZERO), () -> "never")
                        .executed())
                .isFalse();

        assertThat(looks).hasValue(0);
    }

    @Test
    void lock_that_is_acquired_makes_none() {
        locks.acquire(LockRequest.of("free")).close();

        assertThat(looks).hasValue(0);
    }

    @Test
    void any_failure_leaves_the_exception_as_it_is() {
        look = () -> {
            throw new IllegalStateException("The connection factory is closed");
        };

        isRefused();
    }

    @Test
    void call_that_an_interrupt_breaks_is_not_repeated_and_the_interrupt_is_kept() {
        look = () -> {
            Thread.currentThread().interrupt();
            throw StoreSpy.unreachable();
        };

        isRefused();

        assertThat(looks).hasValue(1);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void client_that_is_closed_meanwhile_makes_none() {
        LockEngine[] closing = new LockEngine[1];
        closing[0] = LockEngine.builder(store)
                .listener(event -> {
                    if (event instanceof LockEvent.NotAcquired) {
                        closing[0].close();
                    }
                })
                .build();

        assertThatThrownBy(() -> closing[0].acquire(request)).isInstanceOf(LockNotAcquiredException.class);

        assertThat(looks).hasValue(0);
    }
}
