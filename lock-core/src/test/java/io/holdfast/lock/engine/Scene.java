package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.quorum.QuorumLockStore;
import io.holdfast.lock.quorum.QuorumNode;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Something that needs a thread of the library: {@link #prepare} while there is room for threads, {@link #begin} while there may be
 * none, and then {@link #isThrough} must come true, without a further call, once there is room again.
 */
enum Scene {
    CLOCK("holdfast-clock") {
        @Override
        BooleanSupplier begin(Clients clients) {
            LockHandle held = clients.locks.acquire(SHORT);
            return () -> !clients.store.renewals.isEmpty() && held.isHeld();
        }
    },
    RENEWAL("holdfast-renewal") {
        @Override
        BooleanSupplier begin(Clients clients) {
            clients.locks.acquire(SHORT);
            return () -> !clients.store.renewals.isEmpty();
        }
    },
    /** The subscription, which starts on the clock's thread once a lock has been held for a second, must not take the clock along. */
    SUBSCRIPTION("") {
        @Override
        BooleanSupplier begin(Clients clients) {
            AtomicInteger refused = new AtomicInteger();
            clients.store.beforeListen = () -> {
                if (refused.incrementAndGet() == 1) {
                    throw new OutOfMemoryError("unable to create native thread (on purpose)");
                }
            };
            clients.locks.acquire(SHORT);
            return () -> refused.get() > 1
                    && clients.locks.subscriptionState() == io.holdfast.lock.api.LocalLocks.SubscriptionState.CONNECTED
                    && clients.locks.held().size() == 1;
        }
    },
    /** The same on the thread of a caller that waits, and goes on waiting. */
    SUBSCRIPTION_OF_A_WAITER("") {
        private LockHandle held;

        @Override
        void prepare(Clients clients) {
            held = clients.others.acquire(KEY);
        }

        @Override
        BooleanSupplier begin(Clients clients) {
            AtomicInteger refused = new AtomicInteger();
            clients.store.beforeListen = () -> {
                if (refused.incrementAndGet() == 1) {
                    throw new OutOfMemoryError("unable to create native thread (on purpose)");
                }
            };
            CompletableFuture<String> waits = clients.locks.executeAsync(
                    LockRequest.of(KEY).waitFor(LONG), handle -> CompletableFuture.completedFuture("done"));
            return () -> {
                if (refused.get() > 1) {
                    held.close();
                }
                return waits.isDone() && waits.join().equals("done");
            };
        }
    },
    QUEUE("holdfast-queue") {
        private LockHandle held;

        @Override
        void prepare(Clients clients) {
            held = clients.others.acquire(KEY);
        }

        @Override
        BooleanSupplier begin(Clients clients) {
            clients.locks.executeAsync(LockRequest.of(KEY).waitFor(LONG), CompletableFuture::completedFuture);
            return () -> !clients.store.polls.isEmpty() && held.isHeld();
        }
    },
    CLEANUP("holdfast-cleanup") {
        private LockHandle held;

        @Override
        void prepare(Clients clients) {
            held = clients.locks.acquire(KEY);
            clients.store.beforeRelease = () -> {
                clients.store.beforeRelease = () -> {};
                throw StoreSpy.unreachable();
            };
        }

        @Override
        BooleanSupplier begin(Clients clients) {
            held.close();
            return () -> clients.isFree(KEY);
        }
    },
    LISTENERS("holdfast-listeners") {
        private LockHandle held;

        @Override
        void prepare(Clients clients) {
            held = clients.locks.acquire(KEY);
        }

        @Override
        BooleanSupplier begin(Clients clients) {
            clients.locks.forceRelease(KEY);
            return () -> clients.losses.get() == 1 && !held.isHeld();
        }
    },
    LOSS_ACTION("holdfast-on-lost-") {
        private final AtomicInteger reported = new AtomicInteger();

        @Override
        void prepare(Clients clients) {
            clients.locks.acquire(KEY).onLost(loss -> reported.incrementAndGet());
        }

        @Override
        BooleanSupplier begin(Clients clients) {
            clients.locks.forceRelease(KEY);
            return () -> reported.get() == 1;
        }
    },
    ACQUIRE("holdfast-acquire-") {
        @Override
        BooleanSupplier begin(Clients clients) {
            return asyncCall(clients);
        }
    },
    WORK("holdfast-async-") {
        @Override
        BooleanSupplier begin(Clients clients) {
            return asyncCall(clients);
        }
    },
    RELEASE("holdfast-release-") {
        @Override
        BooleanSupplier begin(Clients clients) {
            return asyncCall(clients);
        }
    },
    NESTED_WAIT("holdfast-waits") {
        private LockHandle other;

        @Override
        void prepare(Clients clients) {
            other = clients.others.acquire(KEY);
        }

        /** The waiting thread starts in this test and not in the library. */
        @Override
        BooleanSupplier begin(Clients clients) {
            clients.waiter.complete(() -> clients.locks.execute(
                    "outer", () -> clients.locks.execute(LockRequest.of(KEY).waitFor(LONG), () -> {})));
            return () -> !clients.store.waitRecords.isEmpty() && other.isHeld();
        }
    },
    CANDIDATE("holdfast-leader-") {
        private final AtomicInteger elected = new AtomicInteger();

        @Override
        BooleanSupplier begin(Clients clients) {
            Leadership role = clients.election.join("reports");
            role.onElected(term -> elected.incrementAndGet());
            clients.election.start();
            return () -> role.isLeader() && elected.get() == 1;
        }
    },
    RESIGNED("holdfast-") {
        private final AtomicInteger elected = new AtomicInteger();
        private Leadership role;

        @Override
        void prepare(Clients clients) throws InterruptedException {
            CountDownLatch first = new CountDownLatch(1);
            role = clients.election.join("reports");
            role.onElected(term -> {
                elected.incrementAndGet();
                first.countDown();
            });
            clients.election.start();
            first.await();
        }

        @Override
        BooleanSupplier begin(Clients clients) {
            role.resign();
            return () -> elected.get() == 2 && role.isLeader();
        }
    },
    QUORUM("holdfast-quorum-") {
        @Override
        BooleanSupplier begin(Clients clients) {
            AtomicBoolean held = new AtomicBoolean();
            clients.waiter.complete(() -> {
                QuorumLockStore quorum = quorum();
                try (LockEngine locks = LockEngine.builder(quorum).build()) {
                    held.set(locks.acquire(KEY).isHeld());
                }
                quorum.close();
            });
            return held::get;
        }
    };

    static final String KEY = "order:42";
    private static final Duration LONG = Duration.ofHours(1);
    private static final LockRequest SHORT = LockRequest.of("short").lease(Duration.ofSeconds(9));

    /** How the names of the threads begin; empty if another place fails. */
    final String threads;

    Scene(String threads) {
        this.threads = threads;
    }

    void prepare(Clients clients) throws InterruptedException {}

    abstract BooleanSupplier begin(Clients clients);

    private static BooleanSupplier asyncCall(Clients clients) {
        CompletableFuture<String> done = clients.locks.executeAsync(
                LockRequest.of(KEY).waitFor(LONG), handle -> CompletableFuture.completedFuture("done"));
        return () -> done.isDone() && done.join().equals("done") && clients.isFree(KEY);
    }

    private static QuorumLockStore quorum() {
        List<QuorumNode> nodes = List.of("a", "b", "c").stream()
                .map(name -> new QuorumNode(name, new InMemoryLockStore()))
                .toList();
        return new QuorumLockStore(nodes, Duration.ofHours(1));
    }

    /** Two clients of one store, an election, and a thread that was started in time and runs one action. */
    static final class Clients implements AutoCloseable {

        final StoreSpy store = new StoreSpy(new InMemoryLockStore());
        final AtomicInteger losses = new AtomicInteger();
        final LockEngine locks = LockEngine.builder(store)
                .listener(event -> {
                    if (event instanceof io.holdfast.lock.api.LockEvent.Lost) {
                        losses.incrementAndGet();
                    }
                })
                .build();
        final LockEngine others = LockEngine.builder(new StoreSpy(store)).build();
        final LeaderElection election = LeaderElection.on(locks);
        final CompletableFuture<Runnable> waiter = new CompletableFuture<>();
        private final Thread waiting = new Thread(() -> waiter.join().run());

        Clients() {
            waiting.setDaemon(true);
            waiting.start();
        }

        boolean isFree(String key) {
            return store.inspect(io.holdfast.lock.api.LockKey.of(key)).holder().isEmpty();
        }

        @Override
        public void close() {
            waiter.complete(() -> {});
            election.close();
            locks.close();
            others.close();
        }
    }
}
