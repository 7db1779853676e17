package io.holdfast.lock.redis.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.RemoteLock;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** One connection, and who has it keeps it. */
class JedisPoolTest {

    private static final HolderInfo HERE = new HolderInfo("web-1", 1, "main");

    private final String key = "pool:" + UUID.randomUUID();
    private final JedisConnectionFactory applications =
            TestRedis.jedis(TestRedis.shared().port());
    private final RedisLockStore store = new RedisLockStore(
            applications, RedisLockSettings.STANDARD.withMaxConnections(1).withCommandTimeout(Duration.ofMillis(250)));

    @AfterEach
    void close() {
        store.close();
        TestRedis.destroy(applications);
    }

    /** A machine that stands still for 250 ms makes a call fail; what is to be shown is that none fails for want of connections. */
    private static void lockThroughStalls(RemoteLock lock) {
        while (true) {
            try {
                lock.lock();
                return;
            } catch (LockStoreException e) {
                if (e.getCause() instanceof ConnectionsInUseException) {
                    throw e;
                }
            }
        }
    }

    private LockStore.Pending<AcquireReply> takeConnection() {
        LockKey other = LockKey.of(key + ":other");
        AcquireRequest request = Requests.exclusive(other, new OwnerId("client", 1), 30_000, HERE, false);
        // Loads the script: otherwise it is sent again, on another connection.
        Awaitility.await().ignoreException(LockStoreException.class).until(() -> store.acquire(request) != null);
        return store.beginAcquire(request);
    }

    @Test
    void calls_beyond_the_connections_wait_for_one_for_longer_than_a_command_may_take() {
        LockStore.Pending<AcquireReply> other = takeConnection(); // before an engine, whose first call needs it too
        try (LockEngine locks = LockEngine.builder(store).build()) {
            List<CompletableFuture<Void>> waiting = IntStream.range(0, 20)
                    .mapToObj(i -> NewThread.<Void>start(() -> {
                        RemoteLock lock = locks.getLock(key + ":" + i);
                        lockThroughStalls(lock);
                        try {
                            return null;
                        } finally {
                            lock.unlock();
                        }
                    }))
                    .toList();

            assertThat(NewThread.start(() -> locks.tryAcquire(key + ":try")))
                    .failsWithin(Duration.ofMinutes(1))
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(LockStoreException.class)
                    .withCauseInstanceOf(ConnectionsInUseException.class);
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
            assertThat(other.await()).isInstanceOf(AcquireReply.Granted.class);
            assertThat(waiting).allSatisfy(CompletableFuture::join);
        }
    }
}
