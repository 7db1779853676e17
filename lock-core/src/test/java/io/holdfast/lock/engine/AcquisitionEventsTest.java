package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each acquisition has a beginning and an end. */
class AcquisitionEventsTest extends EngineFixture {

    private static final LockRequest NAMED = LockRequest.of(KEY).name("order");

    private final List<String> reported = new ArrayList<>();
    private final List<String> ended = new ArrayList<>();
    private final LockEngine watched = engine(new LockListener() {
        @Override
        public AcquisitionObserver onAcquire(LockKey key, String name) {
            reported.add("begins " + key + " " + name);
            return new AcquisitionObserver() {
                @Override
                public LockListener.Scope onThread() {
                    reported.add("on");
                    return () -> reported.add("off");
                }

                @Override
                public void ended(LockEvent.OfLock outcome) {
                    assertThat(outcome).isSameAs(last);
                    ended.add(outcome.getClass().getSimpleName());
                }
            };
        }

        @Override
        public void onEvent(LockEvent event) {
            reported.add(event.getClass().getSimpleName());
            last = event;
        }
    });
    private LockEvent last;

    @AfterEach
    void closeWatched() {
        watched.close();
    }

    @Test
    void acquisition_begins_before_the_store_is_asked() {
        store.beforeAcquire = () -> reported.add("store");
        watched.execute(NAMED, () -> {});

        assertThat(reported).containsExactly("begins order:42 order", "on", "store", "off", "Acquired", "Released");
        assertThat(ended).containsExactly("Acquired");
    }

    @Test
    void reentry_is_no_acquisition() {
        try (LockHandle outer = watched.acquire(NAMED)) {
            reported.clear();
            watched.execute(NAMED, () -> {});
            assertThat(outer.isHeld()).isTrue();
        }

        assertThat(reported).containsExactly("Released");
    }

    @Test
    void lock_that_is_not_free_ends_it() {
        try (LockHandle held = others.acquire(KEY)) {
            assertThat(watched.tryAcquire(NAMED)).isEmpty();
            assertThat(watched.tryAcquire(NAMED.waitFor(Duration.ofSeconds(1)))).isEmpty();
            assertThat(held.isHeld()).isTrue();
        }

        reported.removeAll(List.of("on", "off"));
        assertThat(reported)
                .containsExactly(
                        "begins order:42 order", "NotAcquired", "begins order:42 order", "Waiting", "NotAcquired");
        assertThat(ended).containsExactly("NotAcquired", "NotAcquired");
    }

    @Test
    void store_that_fails_ends_it() {
        store.reachable(false);
        Throwable failure = catchThrowable(() -> watched.tryAcquire(NAMED));

        assertThat(reported).containsExactly("begins order:42 order", "on", "off", "Failed");
        assertThat(ended).containsExactly("Failed");
        assertThat(failure).isInstanceOf(LockStoreException.class);
        assertThat(last).isEqualTo(new LockEvent.Failed(LockKey.of(KEY), "order", Duration.ZERO, failure));
    }

    @Test
    void interrupt_ends_it() {
        LockHandle held = onAnotherThread(() -> others.acquire(KEY));
        Thread.currentThread().interrupt();
        assertThat(catchThrowable(() -> watched.acquire(NAMED))).isNotNull();
        assertThat(Thread.interrupted()).isTrue();
        held.close();

        assertThat(reported).startsWith("begins order:42 order").endsWith("Failed");
        assertThat(((LockEvent.Failed) last).failure()).isInstanceOf(InterruptedException.class);
    }

    @Test
    void closed_client_begins_nothing() {
        watched.close();
        assertThat(catchThrowable(() -> watched.acquire(NAMED))).isInstanceOf(IllegalStateException.class);

        assertThat(reported).isEmpty();
    }

    @Test
    void lost_lock_is_not_listed_as_held() {
        LockHandle lost = watched.acquire(NAMED);
        time.pass(Duration.ofMinutes(1));

        assertThat(watched.held()).isEmpty();
        assertThat(catchThrowable(lost::close)).isNotNull();
    }
}
