package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.context.ApplicationContext;
import redis.clients.jedis.Jedis;

/** Three servers that want a password. */
record QuorumServers(List<RedisServerProcess> all) implements AutoCloseable {

    static final String PASSWORD = "secret";

    static QuorumServers start() {
        return new QuorumServers(Stream.generate(() -> RedisServerProcess.start("--requirepass", PASSWORD))
                .limit(3)
                .toList());
    }

    RedisServerProcess get(int index) {
        return all.get(index);
    }

    String name(int index) {
        return "127.0.0.1:" + get(index).port();
    }

    String url(int index) {
        return "redis://default:" + PASSWORD + "@" + name(index);
    }

    String property() {
        return "holdfast.quorum.nodes=" + Stream.of(0, 1, 2).map(this::url).collect(Collectors.joining(","));
    }

    /** Whether somebody holds the lock of that Redis key there. */
    boolean holds(int index, int database, String redisKey) {
        try (Jedis jedis = TestRedis.administrator(get(index).port())) {
            jedis.auth(PASSWORD);
            jedis.select(database);
            return jedis.hexists(redisKey, "owner");
        }
    }

    /** When the servers, which were just started, take part; that is as long as a lease after their start. */
    static LockTemplate joined(ApplicationContext context) {
        LockTemplate locks = context.getBean(LockTemplate.class);
        while (!haveJoined(locks)) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        return locks;
    }

    private static boolean haveJoined(LockTemplate locks) {
        try {
            return locks.tryExecute("joined-" + UUID.randomUUID(), () -> {}).executed();
        } catch (LockStoreException notYet) {
            assertThat(notYet).hasMessageContaining("rejoin-delay");
            return false;
        }
    }

    @Override
    public void close() {
        all.forEach(RedisServerProcess::close);
    }
}
