package io.holdfast.lock.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockData;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.NoStore;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a holder leaves with the lock for the next one. */
class DataTest {

    private static final LockRequest REQUEST =
            LockRequest.of("cursor").withData(Duration.ofDays(1)).lease(Duration.ofSeconds(30));

    private final FakeTicker time = new FakeTicker();
    private final StoreSpy store = new StoreSpy(new InMemoryLockStore(time, InstantSource.system()));
    private final LockEngine locks = LockEngine.builder(store).ticker(time).build();
    private final LockEngine others = LockEngine.builder(store).ticker(time).build();

    @AfterEach
    void close() {
        locks.close();
        others.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static Optional<String> text(LockData data) {
        return data.bytes().map(bytes -> new String(bytes, UTF_8));
    }

    private void save(String text) {
        others.execute(REQUEST, lock -> {
            lock.saveData(bytes(text));
        });
    }

    @Test
    void holder_reads_what_the_last_one_left() {
        save("from another client");

        locks.execute(REQUEST, lock -> {
            assertThat(text(lock.data())).contains("from another client");
            lock.saveData(bytes("from here"));
            assertThat(text(lock.data())).contains("from here");
        });

        assertThat(text(others.data("cursor"))).contains("from here");
        assertThat(others.data("cursor").toString()).contains("9 bytes").doesNotContain("from here");
    }

    @Test
    void lock_without_data_makes_no_call_for_data() {
        locks.execute(REQUEST, () -> {});

        assertThat(store.dataCalls).isEmpty();
    }

    @Test
    void data_needs_a_request_with_data() {
        try (LockHandle lock = locks.acquire("cursor")) {
            assertThatIllegalStateException().isThrownBy(lock::data).withMessageContaining("withData");
            assertThatIllegalStateException()
                    .isThrownBy(() -> lock.saveData(bytes("x")))
                    .withMessageContaining("withData");
        }
        assertThat(store.dataCalls).isEmpty();
    }

    @Test
    void handle_that_was_closed_has_no_data() {
        LockHandle lock = locks.acquire(REQUEST);
        lock.close();

        assertThatIllegalStateException().isThrownBy(lock::data).withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(() -> lock.saveData(bytes("x")));
        assertThat(store.dataCalls).isEmpty();
    }

    @Test
    void handle_that_is_lost_makes_no_call() {
        LockHandle lock = locks.acquire(REQUEST.renew(false));
        time.pass(Duration.ofSeconds(30));

        assertThatThrownBy(lock::data).isInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> lock.saveData(bytes("x"))).isInstanceOf(LockLostException.class);
        assertThat(store.dataCalls).isEmpty();
        assertThatThrownBy(lock::close).isInstanceOf(LockLostException.class);
    }

    @Test
    void lock_that_the_store_has_revoked_is_lost_by_a_call() {
        LockHandle lock = locks.acquire(REQUEST);
        lock.saveData(bytes("kept"));
        others.forceRelease("cursor");

        assertThatThrownBy(() -> lock.saveData(bytes("late")))
                .isInstanceOfSatisfying(
                        LockLostException.class,
                        lost -> assertThat(lost.lossCause()).isEqualTo(LossCause.REVOKED));
        assertThat(lock.isHeld()).isFalse();
        assertThat(text(others.data("cursor"))).contains("kept");
        assertThatThrownBy(lock::close).isInstanceOf(LockLostException.class);
    }

    @Test
    void lease_that_ends_during_the_call_is_reported_as_expired() {
        LockHandle lock = locks.acquire(REQUEST.renew(false));
        store.beforeNextCallHere(() -> time.pass(Duration.ofSeconds(30)));

        assertThatThrownBy(() -> lock.saveData(bytes("late")))
                .isInstanceOfSatisfying(
                        LockLostException.class,
                        lost -> assertThat(lost.lossCause()).isEqualTo(LossCause.TIME_LIMIT_REACHED));
        assertThat(others.data("cursor").bytes()).isEmpty();
        assertThatThrownBy(lock::close).isInstanceOf(LockLostException.class);
    }

    /** It was done under the lock. */
    @Test
    void data_that_was_saved_in_time_counts_even_if_the_reply_came_late() {
        LockHandle lock = locks.acquire(REQUEST.renew(false));
        store.afterNextCallHere(() -> time.pass(Duration.ofSeconds(30)));

        lock.saveData(bytes("in time"));

        assertThat(text(others.data("cursor"))).contains("in time");
        assertThat(lock.isHeld()).isFalse();
        assertThatThrownBy(lock::close).isInstanceOf(LockLostException.class);
    }

    @Test
    void lock_that_is_released_during_a_call_is_not_lost() {
        LockHandle lock = locks.acquire(REQUEST);
        store.beforeNextCallHere(lock::close);

        assertThatIllegalStateException()
                .isThrownBy(() -> lock.saveData(bytes("late")))
                .withMessageContaining("released");
    }

    @Test
    void reply_that_was_lost_is_a_failure_with_an_unknown_outcome() {
        try (LockHandle lock = locks.acquire(REQUEST)) {
            store.afterNextCallHere(() -> {
                throw StoreSpy.unreachable();
            });

            assertThatThrownBy(() -> lock.saveData(bytes("saved")))
                    .isInstanceOfSatisfying(
                            LockStoreException.class,
                            failure -> assertThat(failure.outcomeUnknown()).isTrue());

            assertThat(lock.isHeld()).isTrue();
            assertThat(text(lock.data())).contains("saved");
        }
    }

    /** A call whose reply was lost may arrive at the store at any later time. */
    @Test
    void write_without_a_reply_that_arrives_late_does_not_undo_a_later_one() {
        try (LockHandle lock = locks.acquire(REQUEST)) {
            store.beforeNextCallHere(() -> {
                throw StoreSpy.unreachable();
            });
            assertThatThrownBy(() -> lock.saveData(bytes("first"))).isInstanceOf(LockStoreException.class);
            lock.saveData(bytes("second"));

            store.data(store.dataCalls.get(0));

            assertThat(text(lock.data())).contains("second");
        }
    }

    @Test
    void interrupt_does_not_break_a_call() {
        locks.execute(REQUEST, lock -> {
            Thread.currentThread().interrupt();

            lock.saveData(bytes("saved"));

            assertThat(Thread.interrupted()).isTrue();
            assertThat(text(lock.data())).contains("saved");
        });
    }

    @Test
    void nested_request_with_data_reads_what_the_outer_one_saved() {
        locks.execute(REQUEST, outer -> {
            outer.saveData(bytes("outer"));
            locks.execute(REQUEST.withData(Duration.ofMinutes(1)), inner -> {
                assertThat(text(inner.data())).contains("outer");
                inner.saveData(bytes("inner"));
            });
            assertThat(text(outer.data())).contains("inner");
        });

        time.pass(Duration.ofMinutes(1));
        assertThat(locks.data("cursor").bytes()).isEmpty();
    }

    @Test
    void nested_request_may_be_the_only_one_with_data() {
        locks.execute("cursor", outer -> {
            locks.execute(REQUEST, inner -> {
                inner.saveData(bytes("inner"));
            });
            assertThatIllegalStateException().isThrownBy(outer::data);
        });

        assertThat(text(locks.data("cursor"))).contains("inner");
    }

    @Test
    void detached_handle_has_data_on_any_thread() {
        LockHandle lock = locks.acquire(REQUEST).detach();

        CompletableFuture.runAsync(() -> lock.saveData(bytes("elsewhere"))).join();

        assertThat(text(lock.data())).contains("elsewhere");
        lock.close();
    }

    @Test
    void asynchronous_call_has_data() {
        save("before");

        Optional<String> read = locks.executeAsync(
                        REQUEST, lock -> CompletableFuture.completedFuture(text(lock.data())))
                .join();

        assertThat(read).contains("before");
    }

    @Test
    void fair_lock_has_data() {
        locks.execute(REQUEST.fair(true), lock -> {
            lock.saveData(bytes("fair"));
        });

        assertThat(text(locks.data("cursor"))).contains("fair");
    }

    @Test
    void masked_lock_has_the_same_data() {
        locks.execute(REQUEST.maskKeys(), lock -> {
            lock.saveData(bytes("masked"));
        });

        assertThat(text(locks.data("cursor"))).contains("masked");
    }

    @Test
    void request_that_names_its_only_lock_twice_has_data() {
        locks.execute(REQUEST.and(LockRequest.of("cursor")), lock -> {
            lock.saveData(bytes("saved"));
        });

        assertThat(text(locks.data("cursor"))).contains("saved");
        assertThatIllegalArgumentException().isThrownBy(REQUEST::shared).withMessageContaining("not for a shared one");
    }

    @Test
    void too_much_data_is_refused_before_any_call() {
        try (LockEngine few = LockEngine.builder(store).maxDataSize(3).build()) {
            few.execute(REQUEST, lock -> {
                lock.saveData(bytes("abc"));
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> lock.saveData(bytes("abcd")))
                        .withMessageContaining("4 bytes")
                        .withMessageContaining("holdfast.max-data-size is 3");
            });
        }
        assertThat(store.dataCalls).hasSize(1);
        locks.execute(REQUEST, lock -> {
            lock.saveData(new byte[65_536]);
            assertThatIllegalArgumentException().isThrownBy(() -> lock.saveData(new byte[65_537]));
        });
    }

    @Test
    void limit_is_between_1_byte_and_1_MiB() {
        LockEngineBuilder builder = LockEngine.builder(store);

        assertThat(builder.maxDataSize(1).maxDataSize(1_048_576)).isSameAs(builder);
        assertThatIllegalArgumentException().isThrownBy(() -> builder.maxDataSize(0));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.maxDataSize(1_048_577));
    }

    @Test
    void data_is_copied_when_it_is_saved() {
        byte[] given = bytes("abc");
        locks.execute(REQUEST, lock -> {
            store.beforeNextCallHere(() -> given[0] = 'x');
            lock.saveData(given);
        });

        assertThat(text(locks.data("cursor"))).contains("abc");
    }

    @Test
    void store_that_keeps_no_data_refuses_the_request_before_it_acquires_anything() {
        AtomicInteger acquired = new AtomicInteger();
        NoStore without = new NoStore() {
            @Override
            public String toString() {
                return "a plain store";
            }
        };
        try (LockEngine plain = LockEngine.builder(without).build()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> plain.execute(REQUEST, acquired::incrementAndGet))
                    .withMessageContaining("withData")
                    .withMessageContaining("a plain store");
            assertThatThrownBy(() -> plain.data("cursor"))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("a plain store");
        }
        assertThat(acquired).hasValue(0);
    }
}
