package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The store, or what stands in front of it, throws something that no contract knows, while locks are given back. */
@Timeout(120)
class UnexpectedFailuresTest {

    private static final LockRequest ALL = LockRequest.ofAll(List.of("a", "b", "c"));

    enum Failure {
        EXCEPTION {
            @Override
            void happen() {
                throw new IllegalStateException("unexpected (on purpose)");
            }
        },
        ERROR {
            @Override
            void happen() {
                throw new AssertionError("unexpected (on purpose)");
            }
        };

        abstract void happen();
    }

    /** What was thrown once is thrown no more: so the background can give the locks back. */
    private final AtomicInteger happened = new AtomicInteger();

    private boolean onlyFirstReply;
    private boolean tooFewReplies;
    private Failure failure = Failure.EXCEPTION;

    private final StoreSpy store = new StoreSpy(new InMemoryLockStore()) {
        @Override
        public List<Pending<ReleaseReply>> releaseAll(List<ReleaseRequest> requests) {
            if (tooFewReplies) {
                return List.of();
            }
            if (onlyFirstReply) {
                List<Pending<ReleaseReply>> replies =
                        new ArrayList<>(super.releaseAll(requests.subList(1, requests.size())));
                replies.add(0, () -> {
                    failure.happen();
                    return ReleaseReply.RELEASED;
                });
                return replies;
            }
            return super.releaseAll(requests);
        }
    };

    private final LockEngine locks = LockEngine.builder(store).build();
    private final LockEngine others = LockEngine.builder(store).build();

    @AfterEach
    void close() {
        store.before = () -> {};
        locks.close();
        others.close();
    }

    private void failOnce(Failure kind) {
        store.before = () -> {
            store.before = () -> {};
            happened.incrementAndGet();
            kind.happen();
        };
    }

    private void assertAllIsGivenBack() throws InterruptedException {
        Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> isFree("a") && isFree("b") && isFree("c"));
        locks.acquire(ALL).close();
        assertThat(locks.held()).isEmpty();
        assertThat(locks.drain(Duration.ofMinutes(1))).isTrue();
        others.acquire(ALL).close();
    }

    private boolean isFree(String key) {
        return store.inspect(LockKey.of(key)).holder().isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void release_of_one_lock_is_retried(Failure kind) throws Exception {
        LockHandle held = locks.acquire("a");
        CompletableFuture<String> next =
                locks.executeAsync("a", () -> CompletableFuture.completedFuture("next in line"));
        failOnce(kind);

        held.close();

        assertThat(next.get(1, TimeUnit.MINUTES)).isEqualTo("next in line");
        assertAllIsGivenBack();
    }

    @ParameterizedTest
    @EnumSource
    void release_of_several_locks_is_retried_for_each(Failure kind) throws Exception {
        LockHandle held = locks.acquire(ALL);
        failOnce(kind);

        held.close();

        assertThat(happened).hasValue(1);
        assertAllIsGivenBack();
    }

    @ParameterizedTest
    @EnumSource
    void what_happens_to_one_of_several_locks_does_not_concern_the_others(Failure kind) throws Exception {
        LockHandle held = locks.acquire(ALL);
        failure = kind;
        onlyFirstReply = true;

        held.close();

        onlyFirstReply = false;
        assertAllIsGivenBack();
    }

    @ParameterizedTest
    @EnumSource
    void asynchronous_call_for_several_locks_ends(Failure kind) throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = locks.executeAsync(ALL, lock -> {
            failOnce(kind);
            return work;
        });
        work.complete("done");

        assertThat(result.get(1, TimeUnit.MINUTES)).isEqualTo("done");
        assertAllIsGivenBack();
    }

    @ParameterizedTest
    @EnumSource
    void replies_that_are_missing_count_as_failed(Failure kind) throws Exception {
        LockHandle held = locks.acquire(ALL);
        failure = kind;
        tooFewReplies = true;

        held.close();

        tooFewReplies = false;
        assertAllIsGivenBack();
    }

    @ParameterizedTest
    @EnumSource
    void lock_becomes_shared_later(Failure kind) {
        LockRequest shared = LockRequest.of("a").shared();
        LockHandle exclusive = locks.acquire("a");
        LockHandle reader = locks.acquire(shared);
        failOnce(kind);

        exclusive.close();

        assertThat(happened).hasValue(1);
        others.acquire(shared.waitFor(Duration.ofMinutes(1))).close();
        reader.close();
        assertThat(isFree("a")).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void client_that_is_closed_gives_all_back(Failure kind) {
        locks.acquire(ALL.lease(Duration.ofSeconds(3)));
        failOnce(kind);

        locks.close();

        assertThat(happened).hasValue(1);
        others.acquire(ALL.waitFor(Duration.ofMinutes(1))).close();
    }

    @ParameterizedTest
    @EnumSource
    void checkpoint_gives_back_the_others(Failure kind) throws Exception {
        locks.acquire(ALL);
        failOnce(kind);

        locks.suspend(Duration.ZERO);

        assertThat(happened).hasValue(1);
        assertThat(List.of("a", "b", "c").stream().filter(this::isFree)).hasSize(2);
    }

    @ParameterizedTest
    @EnumSource
    void waiter_that_gives_up_leaves_no_entry_behind(Failure kind) {
        LockHandle held = others.acquire("a");
        store.before = () -> {
            if (!store.leaves.isEmpty()) {
                store.before = () -> {};
                happened.incrementAndGet();
                kind.happen();
            }
        };

        assertThat(locks.tryAcquire(LockRequest.of("a").waitFor(Duration.ofMillis(50))))
                .isEmpty();

        Awaitility.await().until(() -> store.inspect(LockKey.of("a")).waiters() == 0);
        held.close();
    }

    @ParameterizedTest
    @EnumSource
    void lock_is_renewed_after_the_failure(Failure kind) {
        LockHandle held = locks.acquire(LockRequest.of("a").lease(Duration.ofSeconds(9)));
        failOnce(kind);

        Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> happened.get() == 1 && store.renewals.size() > 1);
        assertThat(held.isHeld()).isTrue();
        held.close();
    }
}
