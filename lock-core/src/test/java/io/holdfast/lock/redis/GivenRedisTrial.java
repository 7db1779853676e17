package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.Findings.Ability;
import io.holdfast.lock.testing.GivenRedis;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The contract, and locks for a while, on a server that is running already; {@code .ci/try-service} starts it, and prints the row that it
 * writes. All keys have a random prefix, and are removed.
 */
@ExtendWith(GivenRedisTrial.Counting.class)
class GivenRedisTrial {

    private static final String PREFIX = "holdfast-try-" + UUID.randomUUID();
    private static final RedisLockSettings SETTINGS = TestRedis.PATIENT.withKeyPrefix(PREFIX);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration RUN = Duration.ofSeconds(Integer.getInteger("holdfast.try.seconds", 10));
    private static final int THREADS = 4;

    private static final AtomicInteger PASSED = new AtomicInteger();
    private static final AtomicInteger FAILED = new AtomicInteger();
    private static final AtomicLong GRANTS = new AtomicLong();
    private static final Set<String> MISSING = ConcurrentHashMap.newKeySet();

    @Nested
    class OnDedicatedConnections extends RedisContract {
        OnDedicatedConnections() {
            super(RedisTopology.GIVEN, TestRedis.Client.JEDIS, SETTINGS);
        }
    }

    @Nested
    class OnLettuce extends RedisContract {
        OnLettuce() {
            super(RedisTopology.GIVEN, TestRedis.Client.TEMPLATE, SETTINGS);
        }
    }

    @ParameterizedTest
    @EnumSource
    void locks_work(TriedConnection connection) {
        RedisConnectionFactory application = RedisTopology.GIVEN.connect(connection.client);
        try {
            RedisLockSettings settings = connection.settings().withKeyPrefix(PREFIX);
            Findings found = ServerTrial.run(application, settings, PATIENCE);
            assertThat(found.working()).as(found.failure()).contains(Ability.LOCKS);
            Set<Ability> missing = EnumSet.complementOf(EnumSet.copyOf(found.working()));
            if (!connection.isDedicated()) {
                missing.remove(Ability.REPLICA_ACKS);
            }
            missing.forEach(ability -> MISSING.add(ability.toString()));
        } finally {
            TestRedis.destroy(application);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JEDIS")
    void locks_exclude_each_other_for_a_while(TriedConnection connection) {
        RedisConnectionFactory application = RedisTopology.GIVEN.connect(connection.client);
        RedisLockSettings settings = connection.settings().withKeyPrefix(PREFIX);
        try (RedisLockStore store = new RedisLockStore(application, settings);
                LockEngine one = LockEngine.builder(store).build();
                LockEngine another = LockEngine.builder(store).build()) {
            Contested contested = new Contested(System.nanoTime() + RUN.toNanos());
            List<CompletableFuture<Integer>> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                threads.add(NewThread.start(() -> contested.use(one)));
                threads.add(NewThread.start(() -> contested.use(another)));
            }
            threads.forEach(thread -> GRANTS.addAndGet(thread.join()));
        } finally {
            TestRedis.destroy(application);
        }
    }

    /** What a lock protects: the token rises, and there is never a second holder. */
    private record Contested(long end, LockRequest lock, AtomicInteger holders, AtomicLong token) {

        Contested(long end) {
            this(
                    end,
                    LockRequest.of(UUID.randomUUID().toString()).waitFor(PATIENCE),
                    new AtomicInteger(),
                    new AtomicLong());
        }

        /** Returns how often it got the lock. */
        int use(LockEngine locks) {
            int grants = 0;
            while (System.nanoTime() - end < 0) {
                try (LockHandle handle = locks.acquire(lock)) {
                    assertThat(holders.incrementAndGet()).isEqualTo(1);
                    assertThat(token.getAndSet(handle.fencingToken())).isLessThan(handle.fencingToken());
                    holders.decrementAndGet();
                    grants++;
                }
            }
            return grants;
        }
    }

    /** Also of the nested classes. */
    static final class Counting implements TestWatcher {

        @Override
        public void testSuccessful(ExtensionContext context) {
            PASSED.incrementAndGet();
        }

        @Override
        public void testFailed(ExtensionContext context, Throwable cause) {
            FAILED.incrementAndGet();
        }
    }

    @AfterAll
    static void writeRow() throws IOException {
        String cleanup;
        try {
            cleanup = "removed " + GivenRedis.get().removeKeys(PREFIX) + " keys";
        } catch (RuntimeException e) {
            cleanup = "keys with the prefix " + PREFIX + " are left to expire: " + e.getMessage();
        }
        GivenRedis redis = GivenRedis.get();
        String missing = MISSING.stream().sorted().collect(Collectors.joining(", "));
        String row = String.join(
                " | ",
                "| " + Optional.ofNullable(System.getenv("HOLDFAST_TRY_NAME")).orElse("(service)"),
                redis.version(),
                redis.isCluster() ? "cluster of " + redis.servers() : "one server",
                PASSED + " of " + (PASSED.get() + FAILED.get()) + " tests passed, " + GRANTS + " grants",
                (missing.isEmpty() ? "nothing is missing" : "without " + missing) + " |");
        Files.writeString(Path.of("target", "service-row.md"), cleanup + "\n" + row + "\n");
    }
}
