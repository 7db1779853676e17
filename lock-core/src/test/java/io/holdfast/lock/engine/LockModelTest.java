package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockInterruptedException;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.StoreSpy;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Thousands of random steps of four threads in two clients on three keys, each compared with the {@link LockModel}. A failure
 * names its seed and step.
 */
class LockModelTest {

    private static final int FEW_STEPS = 4_000;
    private static final int MANY_STEPS = 20_000;
    private static final int THREADS = 4;
    private static final Duration LEASE = Duration.ofMinutes(10);

    private final long seed = Long.getLong("model.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<String> keys = List.of("model:a" + seed, "model:b" + seed, "model:c" + seed);
    private final List<ExecutorService> threads = IntStream.range(0, THREADS)
            .mapToObj(i -> Executors.newSingleThreadExecutor())
            .toList();
    private final LockModel model = new LockModel();
    private final Map<LockModel.Opened, LockHandle> real = new HashMap<>();
    private LockEngine[] clients;
    private FakeTicker time;

    @AfterEach
    void end() {
        threads.forEach(ExecutorService::shutdownNow);
        for (LockEngine client : clients) {
            client.close();
        }
    }

    /** Otherwise a release that finds no hold may be a repeated one, so it reveals no loss. */
    private boolean releasesAreSentOnce = true;

    @Test
    void in_memory_store_follows_the_model() throws Exception {
        time = new FakeTicker();
        follow(new InMemoryLockStore(time, time), time, MANY_STEPS);
    }

    @ParameterizedTest
    @EnumSource(TestRedis.Client.class)
    void redis_store_follows_the_model(TestRedis.Client driver) throws Exception {
        followOnRedis(driver, FEW_STEPS);
    }

    @ParameterizedTest
    @EnumSource(TestRedis.Client.class)
    @Tag("full")
    void redis_store_follows_the_model_for_long(TestRedis.Client driver) throws Exception {
        followOnRedis(driver, MANY_STEPS);
    }

    private void followOnRedis(TestRedis.Client driver, int steps) throws Exception {
        releasesAreSentOnce = driver == TestRedis.Client.JEDIS;
        try (LockStore store =
                new RedisLockStore(driver.connect(TestRedis.shared().port()), TestRedis.PATIENT)) {
            follow(store, Ticker.SYSTEM, steps);
        }
    }

    /** When a holder hears that its lock was taken away is a matter of chance: here it never does. */
    private static final class Unsubscribed extends StoreSpy {

        Unsubscribed(LockStore store) {
            super(store);
        }

        @Override
        public Listening listen(String clientId, WakeListener listener) {
            listener.connected();
            return () -> {};
        }

        /** Nor does it find that out by looking, which goes by the real time. */
        @Override
        public List<RenewReply> renew(List<RenewRequest> requests) {
            return requests.stream()
                    .map(each -> (RenewReply) new RenewReply.Renewed())
                    .toList();
        }
    }

    private void follow(LockStore delegate, Ticker ticker, int steps) throws Exception {
        LockStore store = new Unsubscribed(delegate);
        clients = new LockEngine[] {
            LockEngine.builder(store).ticker(ticker).build(),
            LockEngine.builder(store).ticker(ticker).build()
        };
        for (int step = 0; step < steps; step++) {
            try {
                step();
            } catch (AssertionError | Exception e) {
                throw new AssertionError("seed " + seed + " (-Dmodel.seed), step " + step, e);
            }
        }
        assertThat(model.lastFencingTokens).hasSize(keys.size());
    }

    private void step() throws Exception {
        int choice = random.nextInt(100);
        if (choice < 40) {
            acquire(random.nextInt(THREADS), anyKey(), false);
        } else if (choice < 45) {
            acquire(random.nextInt(THREADS), anyKey(), true);
        } else if (choice < 85) {
            onAnyOpen(this::close);
        } else if (choice < 90) {
            onAnyOpen(this::detach);
        } else if (choice < 96) {
            onAnyOpen(this::extend);
        } else if (choice < 98) {
            force(anyKey());
        } else if (time != null) {
            pass(Duration.ofMinutes(1 + random.nextInt(6)));
        }
        assertHandlesAgree();
    }

    private String anyKey() {
        return keys.get(random.nextInt(keys.size()));
    }

    private <T> T on(int thread, Callable<T> work) throws Exception {
        try {
            return threads.get(thread).submit(work).get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception known ? known : e;
        }
    }

    private LockEngine clientOf(int thread) {
        return clients[thread % clients.length];
    }

    private void acquire(int thread, String key, boolean interrupted) throws Exception {
        LockRequest request = LockRequest.of(key)
                .lease(LEASE)
                .renew(false)
                .waitFor(interrupted ? Duration.ofSeconds(10) : Duration.ZERO);
        LockModel.Grant own = model.ownGrant(key, thread);
        Throwable failure = null;
        Optional<LockHandle> acquired = Optional.empty();
        try {
            acquired = on(thread, () -> {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                try {
                    return clientOf(thread).tryAcquire(request);
                } finally {
                    assertThat(Thread.interrupted()).isEqualTo(interrupted);
                }
            });
        } catch (Exception e) {
            failure = e;
        }
        if (own != null) {
            assertReentry(own, acquired, failure);
        } else if (interrupted) {
            assertThat(failure).isInstanceOf(LockInterruptedException.class);
        } else {
            assertFirstEntry(key, thread, acquired, failure);
        }
    }

    private void assertReentry(LockModel.Grant own, Optional<LockHandle> acquired, Throwable failure) {
        if (own.lost) {
            assertThat(failure).isInstanceOf(LockLostException.class);
        } else if (own.revoked && extendsAtReentry(own)) {
            assertThat(failure).isInstanceOf(LockLostException.class);
            own.lost = true;
        } else {
            assertThat(failure).isNull();
            LockModel.Opened opened = model.entered(own);
            own.deadline = Math.max(own.deadline, model.now + LEASE.toNanos());
            real.put(opened, acquired.orElseThrow());
            assertThat(acquired.get().fencingToken()).isEqualTo(own.token);
        }
    }

    /** A fixed lease is extended by one that would last longer; on the system's clock, one that is as long but later. */
    private boolean extendsAtReentry(LockModel.Grant own) {
        long wanted = model.now + LEASE.toNanos();
        return time == null ? wanted >= own.deadline : wanted > own.deadline;
    }

    private void assertFirstEntry(String key, int thread, Optional<LockHandle> acquired, Throwable failure) {
        assertThat(failure).isNull();
        if (!mayBeGranted(key, thread)) {
            assertThat(acquired).isEmpty();
            return;
        }
        LockHandle handle = acquired.orElseThrow();
        assertThat(handle.fencingToken()).isGreaterThan(model.lastFencingTokens.getOrDefault(key, 0L));
        real.put(model.granted(key, thread, handle.fencingToken(), LEASE.toNanos()), handle);
    }

    /** One try does not ask the store while a sibling believes to hold the lock, even if that was taken away. */
    private boolean mayBeGranted(String key, int thread) {
        return model.isFree(key)
                && model.open().stream()
                        .map(handle -> handle.grant)
                        .filter(grant -> grant.key.equals(key) && clientOf(grant.thread) == clientOf(thread))
                        .max(java.util.Comparator.comparingLong(grant -> grant.token))
                        .map(grant -> grant.lost)
                        .orElse(true);
    }

    private interface HandleStep {
        void run(LockModel.Opened opened, LockHandle handle) throws Exception;
    }

    private void onAnyOpen(HandleStep step) throws Exception {
        List<LockModel.Opened> open = model.open();
        if (!open.isEmpty()) {
            LockModel.Opened opened = open.get(random.nextInt(open.size()));
            step.run(opened, real.get(opened));
        }
    }

    private void close(LockModel.Opened opened, LockHandle handle) throws Exception {
        boolean lost = model.closed(opened);

        Throwable failure = catchThrowable(() -> on(random.nextInt(THREADS), () -> {
            handle.close();
            return null;
        }));

        if (releasesAreSentOnce) {
            assertThat(failure instanceof LockLostException).isEqualTo(lost);
        }
        assertThat(failure == null || (lost && failure instanceof LockLostException))
                .isTrue();
        model.handles.remove(opened);
        real.remove(opened);
        assertThat(handle.isHeld()).isFalse();
    }

    private void detach(LockModel.Opened opened, LockHandle handle) throws Exception {
        on(opened.grant.thread, handle::detach);
        model.detached(opened);
    }

    private void extend(LockModel.Opened opened, LockHandle handle) {
        Duration time = Duration.ofMinutes(1 + random.nextInt(30));

        Throwable failure = catchThrowable(() -> handle.extend(time));

        LockModel.Grant grant = opened.grant;
        if (grant.lost || grant.revoked) {
            assertThat(failure).isInstanceOf(LockLostException.class);
            grant.lost = true;
        } else {
            assertThat(failure).isNull();
            grant.deadline = Math.max(grant.deadline, model.now + time.toNanos());
        }
    }

    private void force(String key) {
        LockEngine client = clients[random.nextInt(clients.length)];
        assertThat(client.forceRelease(key).isEmpty()).isEqualTo(model.isFree(key));
        model.forced(key, grant -> clientOf(grant.thread) == client);
    }

    private void pass(Duration passed) {
        time.pass(passed);
        model.passed(passed.toNanos());
    }

    private void assertHandlesAgree() {
        for (LockModel.Opened opened : model.open()) {
            LockHandle handle = real.get(opened);
            assertThat(handle.isHeld()).isEqualTo(opened.held());
            if (time != null && opened.held()) {
                assertThat(handle.remaining()).isEqualTo(Duration.ofNanos(opened.grant.deadline - model.now));
            }
        }
        for (String key : keys) {
            long holders = model.open().stream()
                    .filter(opened -> opened.grant.key.equals(key) && opened.held() && !opened.grant.revoked)
                    .map(opened -> opened.grant)
                    .distinct()
                    .count();
            assertThat(holders).isLessThanOrEqualTo(1);
        }
    }
}
