package io.holdfast.lock.scenes;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.RemoteLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** What locks do. Each counts the part that it is named for, on keys that no other one has used, and leaves nothing held. */
enum Operation {
    EXCLUSIVE(pair(request -> request)),
    MIN_HOLD(pair(request -> request.minHold(Duration.ofSeconds(10)))),
    READ_LOCK(pair(LockRequest::shared)),
    PERMIT(pair(request -> request.shared(5).weight(2))),
    FAIR(pair(request -> request.fair(true))),
    VIEW(Operation::view),
    REENTRY(Operation::reentry),
    MULTI_LOCK_100(20, Operation::multiLock),
    REFUSED_TRY(Operation::refusedTry),
    HAND_OVER(Operation::handOver),
    HANDOFFS_64(20, Operation::handoffs),
    RENEWAL(Operation::renewal),
    RENEWAL_1000(2, Operation::renewals),
    EXTEND(Operation::extend),
    INSPECT(Operation::inspect),
    FORCED_RELEASE(Operation::forcedRelease);

    private static final int RUNS = 50;
    private static final int LOCKS = 1000;
    private static final int HANDOFFS = 64;

    private final int runs;
    private final Consumer<CountedClients> run;

    Operation(Consumer<CountedClients> run) {
        this(RUNS, run);
    }

    Operation(int runs, Consumer<CountedClients> run) {
        this.runs = runs;
        this.run = run;
    }

    /** One run is not counted: scripts and connections come with it. */
    OperationCost count(CountedClients clients) {
        run.accept(clients);
        clients.take();
        IntStream.range(0, runs).forEach(i -> run.accept(clients));
        return clients.take().dividedBy(runs);
    }

    private static Consumer<CountedClients> pair(UnaryOperator<LockRequest> change) {
        return clients -> {
            LockRequest request = change.apply(LockRequest.of(clients.nextKey()));
            clients.count(() -> clients.a.locks.acquire(request).close());
        };
    }

    private static void view(CountedClients clients) {
        RemoteLock lock = clients.a.locks.getLock(clients.nextKey());
        clients.count(() -> {
            lock.lock();
            lock.unlock();
        });
    }

    private static void reentry(CountedClients clients) {
        String key = clients.nextKey();
        try (LockHandle outer = clients.a.locks.acquire(key)) {
            clients.count(() -> clients.a.locks.acquire(outer.key().toString()).close());
        }
    }

    private static void multiLock(CountedClients clients) {
        List<String> keys =
                IntStream.range(0, 100).mapToObj(i -> clients.nextKey()).toList();
        clients.count(() -> clients.a.locks.acquire(LockRequest.ofAll(keys)).close());
    }

    private static void refusedTry(CountedClients clients) {
        String key = clients.nextKey();
        try (LockHandle held = clients.b.locks.acquire(key)) {
            clients.count(() -> clients.a.locks.tryAcquire(key).ifPresent(LockHandle::close));
            held.ensureHeld();
        }
    }

    private static void handOver(CountedClients clients) {
        String key = clients.nextKey();
        clients.count(() -> clients.handOver(key, clients.a, clients.b));
    }

    /** The first one has no others behind it when it asks; the second one gets tokens for all that are lined up behind it. */
    private static void handoffs(CountedClients clients) {
        LockRequest request = LockRequest.of(clients.nextKey()).waitFor(Duration.ofMinutes(5));
        clients.count(() -> {
            LockHandle first = clients.a.locks.acquire(request);
            List<CompletableFuture<Void>> others = new ArrayList<>();
            for (int i = 0; i <= HANDOFFS; i++) {
                others.add(CompletableFuture.runAsync(
                        () -> clients.a.locks.execute(request, () -> clients.time.pass(Duration.ofNanos(10_000))),
                        run -> new Thread(run).start()));
            }
            CountedClients.await(() -> clients.a.locks.waiting().size() == HANDOFFS + 1);
            first.close();
            others.forEach(each -> each.orTimeout(2, TimeUnit.MINUTES).join());
        });
    }

    private static void renewal(CountedClients clients) {
        renew(clients, 1);
    }

    private static void renewals(CountedClients clients) {
        renew(clients, LOCKS);
    }

    private static void renew(CountedClients clients, int locks) {
        List<LockHandle> handles = IntStream.range(0, locks)
                .mapToObj(i -> clients.a.locks.acquire(clients.nextKey()))
                .toList();
        int before = clients.a.renewed();
        clients.count(() -> clients.pass(Duration.ofSeconds(10), () -> clients.a.renewed() >= before + locks));
        handles.forEach(LockHandle::close);
    }

    private static void extend(CountedClients clients) {
        try (LockHandle handle = clients.a.locks.acquire(clients.nextKey())) {
            clients.count(() -> handle.extend(Duration.ofMinutes(2)));
        }
    }

    private static void inspect(CountedClients clients) {
        String key = clients.nextKey();
        try (LockHandle held = clients.b.locks.acquire(key)) {
            clients.count(() -> clients.a.locks.inspect(key));
            held.ensureHeld();
        }
    }

    /** Its holder is told, and asks. */
    private static void forcedRelease(CountedClients clients) {
        String key = clients.nextKey();
        LockHandle held = clients.b.locks.acquire(key);
        clients.count(() -> {
            clients.a.locks.forceRelease(key);
            CountedClients.await(() -> !held.isHeld());
        });
        int before = clients.b.left();
        try {
            held.close();
        } catch (LockLostException expected) {
            CountedClients.await(() -> clients.b.left() > before);
        }
    }
}
