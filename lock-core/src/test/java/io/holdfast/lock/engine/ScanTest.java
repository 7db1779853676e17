package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockScan;
import io.holdfast.lock.api.LockScanRequest;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.scan.StoreScan;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** All locks of a store, on virtual time: how fast they are read, and when that ends. */
class ScanTest extends EngineFixture {

    private final List<Long> steps = new ArrayList<>();

    /** A store with so many locks, one for each step. */
    private final class Steps implements StoreScan {

        private final int count;

        private Steps(int count) {
            this.count = count;
        }

        @Override
        public boolean step() {
            steps.add(time.nanos());
            return steps.size() < count;
        }

        @Override
        public int size() {
            return steps.size();
        }

        @Override
        public boolean isComplete() {
            return true;
        }

        @Override
        public List<LockStatus> found() {
            List<LockStatus> found = new ArrayList<>();
            for (int i = steps.size(); i > 0; i--) {
                found.add(new LockStatus(LockKey.of("key:" + (i + 10_000)), List.of(), List.of(), 1, 1, Duration.ZERO));
            }
            return found;
        }
    }

    private LockEngine over(int count) {
        return new LockEngineBuilder(withScan(new Steps(count)))
                .ticker(time)
                .pause(pause)
                .build();
    }

    private LockStore withScan(StoreScan scan) {
        return new StoreSpy(store) {
            @Override
            public Optional<StoreScan> openScan(String keysStartingWith) {
                return Optional.of(scan);
            }
        };
    }

    @Test
    void locks_of_all_clients_are_listed_in_the_order_of_their_keys() {
        LockHandle second = locks.acquire(LockRequest.of("b"));
        LockHandle first = others.acquire(LockRequest.of("a"));

        LockScan scan = locks.scan(LockScanRequest.ALL);

        assertThat(scan.locks()).extracting(lock -> lock.key().value()).containsExactly("a", "b");
        assertThat(scan.complete()).isTrue();
        first.close();
        second.close();
        assertThat(locks.scan(LockScanRequest.ALL).locks()).isEmpty();
    }

    @Test
    void so_many_calls_are_made_per_second_and_no_more() {
        LockScan scan = over(21).scan(LockScanRequest.ALL.withCallsPerSecond(10));

        assertThat(scan.complete()).isTrue();
        assertThat(steps).hasSize(21);
        assertThat(steps.get(20) - steps.get(0))
                .isGreaterThanOrEqualTo(Duration.ofSeconds(2).toNanos());
    }

    @Test
    void scan_ends_when_its_time_is_over() {
        LockScan scan =
                over(1_000).scan(LockScanRequest.ALL.withCallsPerSecond(10).withTimeout(Duration.ofSeconds(1)));

        assertThat(scan.complete()).isFalse();
        assertThat(scan.locks()).hasSizeBetween(10, 12);
    }

    @Test
    void scan_ends_at_the_limit() {
        LockScan scan = over(1_000).scan(LockScanRequest.ALL.withLimit(5));

        assertThat(scan.complete()).isFalse();
        assertThat(scan.locks()).hasSize(5);
        assertThat(steps).hasSize(6);
    }

    @Test
    void interrupt_ends_the_scan_with_what_it_has_found() {
        Thread.currentThread().interrupt();

        LockScan scan = over(1_000).scan(LockScanRequest.ALL);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(scan.complete()).isFalse();
        assertThat(scan.locks()).hasSize(1);
    }

    @Test
    void masked_keys_stay_masked() {
        LockEngine masking = new LockEngineBuilder(withScan(new Steps(1)))
                .ticker(time)
                .pause(pause)
                .maskKeys(true)
                .build();

        assertThat(masking.scan(LockScanRequest.ALL).locks().get(0).key().toString())
                .startsWith("sha256:");
    }

    @Test
    void store_that_cannot_list_its_locks_says_so() {
        assertThatThrownBy(() -> new LockEngineBuilder(new StoreSpy(store) {
                            @Override
                            public Optional<StoreScan> openScan(String keysStartingWith) {
                                return Optional.empty();
                            }
                        })
                        .build()
                        .scan(LockScanRequest.ALL))
                .isInstanceOf(UnsupportedOperationException.class);
    }
}
