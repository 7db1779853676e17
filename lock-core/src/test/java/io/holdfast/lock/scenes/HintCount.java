package io.holdfast.lock.scenes;

import io.holdfast.lock.testing.HintFaults;
import io.holdfast.lock.testing.StoreSpy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** Counts the hints that arrive at each of several clients. */
final class HintCount implements UnaryOperator<StoreSpy> {

    private final List<AtomicInteger> counts = new CopyOnWriteArrayList<>();

    @Override
    public StoreSpy apply(StoreSpy store) {
        AtomicInteger count = new AtomicInteger();
        counts.add(count);
        return new HintFaults(store, hint -> {
            count.incrementAndGet();
            hint.run();
        });
    }

    /** Waits until every client has heard so many more. */
    void awaitHintsOfAll(int more) {
        int[] before = now();
        Clients.await(() -> {
            int[] now = now();
            return IntStream.range(0, now.length).allMatch(client -> now[client] - before[client] >= more);
        });
    }

    private int[] now() {
        return counts.stream().mapToInt(AtomicInteger::get).toArray();
    }
}
