package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.contract.HolderContract;
import io.holdfast.lock.testing.contract.OptionalCall;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;

/** A quorum of stores in memory, on virtual time. */
class QuorumLockStoreContractTest {

    private abstract static class OnMemory extends HolderContract {

        private final FakeTicker time = new FakeTicker();
        private final LockStore store;

        OnMemory(int size) {
            List<QuorumNode> nodes = IntStream.range(0, size)
                    .mapToObj(i -> new QuorumNode("node-" + i, new InMemoryLockStore(time, time)))
                    .toList();
            store = new QuorumLockStore(nodes, Duration.ofHours(1), time, threads -> Runnable::run);
        }

        @Override
        public LockStore store() {
            return store;
        }

        @Override
        public Set<OptionalCall> offers() {
            return Set.of(OptionalCall.OPEN_SCAN, OptionalCall.RECORD_WAITS);
        }

        /** Servers keep a lease for a little longer than their caller counts it. */
        @Override
        public void pass(LockKey key, Duration passed) {
            time.pass(passed.plus(passed.dividedBy(100)).plusMillis(2));
        }
    }

    @Nested
    class OfThree extends OnMemory {
        OfThree() {
            super(3);
        }
    }

    @Nested
    class OfFive extends OnMemory {
        OfFive() {
            super(5);
        }
    }
}
