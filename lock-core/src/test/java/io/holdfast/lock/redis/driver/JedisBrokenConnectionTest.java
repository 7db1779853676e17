package io.holdfast.lock.redis.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** A connection breaks, or falls silent, at any byte of an answer: no later call on it gets the answer of another one. */
class JedisBrokenConnectionTest {

    private static final int CALLERS = 8;

    /** Of the answers of three calls. */
    private static final int BYTES = 75;

    private static final HolderInfo HERE = new HolderInfo("web-1", 1, "main");

    private final String key = "shared:" + UUID.randomUUID() + ":";
    private final AtomicInteger sequences = new AtomicInteger();
    private final BrokenProxy proxy = new BrokenProxy(TestRedis.shared().port());
    private final JedisConnectionFactory applications = TestRedis.jedis(proxy.port());
    private final RedisLockStore store = new RedisLockStore(
            applications, RedisLockSettings.STANDARD.withMaxConnections(1).withCommandTimeout(Duration.ofMillis(500)));

    private final JedisConnectionFactory direct =
            TestRedis.jedis(TestRedis.shared().port());
    private final RedisLockStore observer = new RedisLockStore(direct, TestRedis.PATIENT);

    @AfterEach
    void close() {
        store.close();
        observer.close();
        TestRedis.destroy(applications);
        TestRedis.destroy(direct);
        proxy.close();
    }

    private record Granted(LockKey key, long token) {}

    @Test
    void cut_at_any_byte() {
        run(false, 1);
    }

    @Test
    @Tag("full")
    void silent_from_any_byte() {
        run(true, 5);
    }

    private void run(boolean silently, int step) {
        acquireAll(); // connects, and makes the scripts known
        int times = 0;
        for (int bytes = 0; bytes < BYTES; bytes += step) {
            proxy.breakAfter(bytes, silently);

            acquireAll().forEach(this::isTrue);
            acquireAll().forEach(this::isTrue); // in step again
            times++;
        }
        assertThat(proxy.broken()).isEqualTo(times);
    }

    /** Those that were granted; some may have failed. */
    private List<Granted> acquireAll() {
        List<CompletableFuture<List<Granted>>> callers = IntStream.range(0, CALLERS)
                .mapToObj(i -> NewThread.start(this::acquire))
                .toList();
        List<Granted> granted = new ArrayList<>();
        callers.forEach(each -> granted.addAll(each.join()));
        return granted;
    }

    private List<Granted> acquire() {
        int sequence = sequences.incrementAndGet();
        LockKey own = LockKey.of(key + sequence);
        OwnerId owner = new OwnerId("client", sequence);
        try {
            AcquireReply reply = store.acquire(Requests.exclusive(own, owner, 30_000, HERE, false));
            return List.of(new Granted(own, ((AcquireReply.Granted) reply).token()));
        } catch (LockStoreException e) {
            return List.of();
        }
    }

    private void isTrue(Granted granted) {
        LockHolder holder = observer.inspect(granted.key()).holder().orElseThrow();
        assertThat(holder.fencingToken()).isEqualTo(granted.token());
    }
}
