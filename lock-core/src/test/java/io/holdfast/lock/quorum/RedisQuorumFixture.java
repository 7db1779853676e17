package io.holdfast.lock.quorum;

import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;

/** Real servers that know nothing of each other. */
abstract class RedisQuorumFixture {

    static final Duration REJOIN_DELAY = Duration.ofSeconds(30);

    private final Duration rejoinDelay;

    /** Servers that hang are waited for; what a busy machine delays by less is not taken for one. */
    private final RedisLockSettings settings;

    final List<RedisServerProcess> servers = new ArrayList<>();
    final List<FaultProxy> proxies = new ArrayList<>();
    private final List<RedisConnectionFactory> connections = new ArrayList<>();
    private final List<QuorumLockStore> stores = new ArrayList<>();

    /** The stores of each client on each server. */
    final List<List<QuorumNode>> nodes = new ArrayList<>();

    RedisQuorumFixture() {
        this(REJOIN_DELAY);
    }

    RedisQuorumFixture(Duration rejoinDelay) {
        this.rejoinDelay = rejoinDelay;
        this.settings = RedisLockSettings.STANDARD
                .withCommandTimeout(Duration.ofSeconds(2))
                .withRejoinDelay(rejoinDelay);
    }

    /** As if they had been running for years. */
    final void start(int count) {
        for (int i = 0; i < count; i++) {
            RedisServerProcess server = RedisServerProcess.start();
            try (Jedis jedis = TestRedis.administrator(server.port())) {
                jedis.set("holdfast:joined", "1");
            }
            servers.add(server);
            proxies.add(new FaultProxy(server.port()));
        }
    }

    /** A client of its own, whose connections lead through the proxies. */
    final QuorumLockStore connect(TestRedis.Client client) {
        List<QuorumNode> mine = new ArrayList<>();
        for (FaultProxy proxy : proxies) {
            RedisConnectionFactory factory = client.connect(proxy.port());
            connections.add(factory);
            mine.add(new QuorumNode("127.0.0.1:" + proxy.port(), new RedisLockStore(factory, settings)));
        }
        nodes.add(mine);
        QuorumLockStore store = new QuorumLockStore(mine, rejoinDelay);
        stores.add(store);
        return store;
    }

    @AfterEach
    final void closeAll() {
        stores.forEach(QuorumLockStore::close);
        connections.forEach(TestRedis::destroy);
        proxies.forEach(FaultProxy::close);
        servers.forEach(RedisServerProcess::close);
    }
}
