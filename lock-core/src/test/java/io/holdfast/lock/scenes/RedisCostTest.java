package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.StoreSpy;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** What locks cost, as the server sees it. */
@Tag("full")
@ParameterizedClass
@EnumSource(value = TestRedis.Client.class, names = "JEDIS")
class RedisCostTest {

    @Parameter
    private TestRedis.Client client;

    private RedisServerProcess server;
    private RedisConnectionFactory connections;
    private SentCommands sent;
    private StoreSpy store;
    private LockEngine locks;

    @BeforeEach
    void open() {
        server = RedisServerProcess.start();
        connections = client.connect(server.port());
        store = new StoreSpy(new RedisLockStore(connections, TestRedis.PATIENT));
        locks = LockEngine.builder(store).build();
        locks.acquire("warm-up").close();
        sent = new SentCommands(server.port());
    }

    @AfterEach
    void close() {
        locks.close();
        store.close();
        TestRedis.destroy(connections);
        sent.close();
        server.close();
    }

    @Test
    void uncontended_lock_and_unlock_are_two_evalsha() {
        for (int i = 0; i < 100; i++) {
            locks.execute("order:" + i, () -> {});
        }

        assertThat(sent.take()).hasSize(200).containsOnly("evalsha");
    }

    @Test
    void reentry_costs_nothing() {
        try (LockHandle outer = locks.acquire("order:42")) {
            sent.take();
            for (int i = 0; i < 1000; i++) {
                locks.execute("order:42", () -> assertThat(outer.isHeld()).isTrue());
            }
            assertThat(sent.take()).isEmpty();
        }
    }

    @Test
    void ten_thousand_idle_locks_take_a_hundredth_of_the_renewal_calls() {
        List<LockHandle> handles = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            handles.add(locks.acquire(LockRequest.of("idle:" + i).lease(Duration.ofSeconds(12))));
        }
        sent.take();
        int before = renewedLocks();

        Awaitility.await().atMost(5, TimeUnit.MINUTES).until(() -> renewedLocks() >= before + 20_000);

        int renewed = renewedLocks() - before;
        assertThat(sent.take()).contains("evalsha").hasSizeLessThanOrEqualTo(renewed / 100);
        assertThat(handles).allMatch(LockHandle::isHeld);
    }

    private int renewedLocks() {
        return store.renewals.stream().mapToInt(List::size).sum();
    }
}
