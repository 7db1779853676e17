package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockDefaults;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.api.ReleaseMode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.hamcrest.Matchers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A release that nobody waits for. */
class SentReleaseTest extends EngineFixture {

    private static final LockRequest SENT = LockRequest.of(KEY).release(ReleaseMode.SENT);

    @BeforeEach
    void send() {
        store.sendsReleases = true;
    }

    private void answer() {
        store.sent.remove().run();
    }

    private <E extends LockEvent> List<E> told(Class<E> type) {
        return events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    @Test
    void close_returns_before_the_store_has_the_lock_back() throws InterruptedException {
        locks.acquire(SENT).close();

        assertThat(isFree()).isFalse();
        assertThat(told(LockEvent.Released.class)).hasSize(1);
        assertThat(locks.drain(Duration.ZERO))
                .as("until then it is in the books")
                .isFalse();

        answer();

        assertThat(isFree()).isTrue();
        assertThat(locks.drain(Duration.ZERO)).isTrue();
        assertThat(told(LockEvent.Released.class)).hasSize(1);
    }

    @Test
    void loss_that_the_store_knows_of_is_told_by_event_and_to_the_handle() {
        LockHandle handle = locks.acquire(SENT);
        AtomicReference<LockEvent.Lost> told = new AtomicReference<>();
        handle.onLost(told::set);
        others.forceRelease(KEY);

        handle.close();
        answer();

        Awaitility.await().untilAtomic(told, Matchers.notNullValue());
        assertThat(told.get().cause()).isEqualTo(LossCause.REVOKED);
        Awaitility.await().until(() -> told(LockEvent.Lost.class).size() == 1);
    }

    @Test
    void loss_that_is_known_here_is_an_exception() {
        LockHandle handle = locks.acquire(SENT.renew(false));
        time.pass(Duration.ofSeconds(30));

        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
        assertThat(store.sent).isEmpty();
    }

    @Test
    void failure_is_repeated_in_the_background() throws InterruptedException {
        locks.acquire(SENT).close();
        store.reachable(false);
        answer();
        store.reachable(true);

        Awaitility.await().until(this::isFree);
        assertThat(locks.drain(Duration.ZERO)).isTrue();
        assertThat(told(LockEvent.Lost.class)).isEmpty();
    }

    @Test
    void store_that_cannot_is_waited_for() {
        store.sendsReleases = false;
        LockHandle handle = locks.acquire(SENT);
        others.forceRelease(KEY);

        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
    }

    @Test
    void default_of_the_client_is_for_requests_that_say_nothing() {
        try (LockEngine sending = LockEngine.builder(store)
                .ticker(time)
                .pause(pause)
                .defaults(LockDefaults.STANDARD.withRelease(ReleaseMode.SENT))
                .build()) {
            sending.acquire(KEY).close();
            assertThat(store.sent).hasSize(1);
            answer();

            sending.acquire(LockRequest.of(KEY).release(ReleaseMode.ACKNOWLEDGED))
                    .close();
            assertThat(store.sent).isEmpty();
            assertThat(isFree()).isTrue();
        }
    }

    @Test
    void client_waits_for_answers_without_being_told() {
        locks.acquire(KEY).close();

        assertThat(store.sent).isEmpty();
    }
}
