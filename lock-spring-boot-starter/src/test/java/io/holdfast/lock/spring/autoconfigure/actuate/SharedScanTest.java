package io.holdfast.lock.spring.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.AllLocks;
import io.holdfast.lock.api.ClientId;
import io.holdfast.lock.api.LockScan;
import io.holdfast.lock.api.LockScanRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockWaits;
import io.holdfast.lock.testing.NewThread;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** However many look, the store is scanned once in an interval. */
class SharedScanTest {

    private final AtomicInteger scans = new AtomicInteger();
    private volatile Runnable during = () -> {};

    private final AllLocks locks = new AllLocks() {
        @Override
        public LockScan scan(LockScanRequest request) {
            scans.incrementAndGet();
            during.run();
            return new LockScan(List.of(), true, 0);
        }

        @Override
        public LockWaits waits() {
            return LockWaits.NONE;
        }

        @Override
        public ClientId client() {
            return new ClientId("me", "here", 1);
        }
    };

    private SharedScan<SharedScan.Result> every(Duration interval) {
        return new SharedScan<>(() -> SharedScan.Result.of(locks), interval);
    }

    @Test
    void those_who_come_during_a_scan_get_its_result() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        during = () -> {
            begun.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
        SharedScan<SharedScan.Result> shared = every(Duration.ofHours(1));
        CompletableFuture<SharedScan.Result> first = NewThread.start(shared::get);
        begun.await();
        List<CompletableFuture<SharedScan.Result>> more =
                Stream.generate(() -> NewThread.start(shared::get)).limit(5).toList();
        end.countDown();

        assertThat(more).allSatisfy(each -> assertThat(each.join()).isSameAs(first.join()));
        assertThat(scans).hasValue(1);
    }

    @Test
    void scan_is_made_anew_after_the_interval() {
        SharedScan<SharedScan.Result> shared = every(Duration.ZERO);
        shared.get();
        shared.get();

        assertThat(scans).hasValue(2);
    }

    @Test
    void failure_is_not_repeated_within_the_interval() {
        during = () -> {
            throw new LockStoreException("Redis is away", null, true);
        };
        SharedScan<SharedScan.Result> shared = every(Duration.ofHours(1));

        assertThatThrownBy(shared::get).hasMessage("Redis is away");
        assertThatThrownBy(shared::get).hasMessage("Redis is away");
        assertThat(scans).hasValue(1);
    }

    @Test
    void what_an_interrupted_thread_has_found_is_not_for_others() {
        SharedScan<SharedScan.Result> shared = every(Duration.ofHours(1));
        during = () -> Thread.currentThread().interrupt();
        shared.get();
        assertThat(Thread.interrupted()).isTrue();
        during = () -> {};
        shared.get();
        shared.get();

        assertThat(scans).hasValue(2);
    }

    @Test
    void result_is_forgotten_after_a_change() {
        SharedScan<SharedScan.Result> shared = every(Duration.ofHours(1));
        shared.get();
        shared.forget();
        shared.get();
        shared.get();

        assertThat(scans).hasValue(2);
    }

    @Test
    void template_that_does_not_tell_is_said() {
        assertThatThrownBy(new SharedScan<>(() -> SharedScan.Result.of(null), Duration.ZERO)::get)
                .isInstanceOf(UnsupportedOperationException.class);
    }
}
