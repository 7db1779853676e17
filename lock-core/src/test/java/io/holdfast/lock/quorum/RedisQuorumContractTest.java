package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.testing.DocumentedUser;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.RedisTime;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.contract.HolderContract;
import io.holdfast.lock.testing.contract.OptionalCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;

/** A quorum of real servers, where the user may do nothing but lock. */
class RedisQuorumContractTest {

    private static final List<RedisServerProcess> SERVERS =
            Stream.generate(RedisQuorumContractTest::start).limit(5).toList();
    private static final List<RedisConnectionFactory> CONNECTIONS = new ArrayList<>();
    private static final List<LockStore> STORES = new ArrayList<>();

    private static RedisServerProcess start() {
        RedisServerProcess server = RedisServerProcess.start();
        try (Jedis administrator = TestRedis.administrator(server.port())) {
            DocumentedUser.permit(administrator, DocumentedUser.withScan(DocumentedUser.rules("in a quorum")));
        }
        return server;
    }

    @AfterAll
    static void close() {
        STORES.forEach(LockStore::close);
        CONNECTIONS.forEach(TestRedis::destroy);
        SERVERS.forEach(RedisServerProcess::close);
    }

    private static LockStore open(TestRedis.Client client, int size) {
        List<QuorumNode> nodes = SERVERS.stream()
                .limit(size)
                .map(RedisServerProcess::port)
                .map(port -> node(client.connect(port, DocumentedUser.NAME, DocumentedUser.PASSWORD), port))
                .toList();
        LockStore store = new QuorumLockStore(nodes, Duration.ofHours(1));
        STORES.add(store);
        return store;
    }

    private static QuorumNode node(RedisConnectionFactory connections, int port) {
        CONNECTIONS.add(connections);
        return new QuorumNode("127.0.0.1:" + port, new RedisLockStore(connections, TestRedis.PATIENT));
    }

    private abstract static class OnRedis extends HolderContract {

        private final LockStore store;

        OnRedis(LockStore store) {
            this.store = store;
        }

        @Override
        public LockStore store() {
            return store;
        }

        @Override
        public Set<OptionalCall> offers() {
            return Set.of(OptionalCall.OPEN_SCAN, OptionalCall.RECORD_WAITS);
        }

        @Override
        public boolean mayRaiseTokens() {
            return true;
        }

        /**
         * Servers keep a lease for a little longer than their caller counts it. A call whose outcome most servers have decided may be
         * under way to the others; no lease ends before it arrives, as it would if time jumped ahead of it.
         */
        @Override
        public void pass(LockKey key, Duration time) {
            store.inspect(key); // waits for the calls in progress
            Duration onServers = time.plus(time.dividedBy(100)).plusMillis(2);
            for (RedisServerProcess server : SERVERS) {
                try (Jedis jedis = TestRedis.administrator(server.port())) {
                    RedisTime.pass(jedis, "holdfast:{" + key + "}", onServers);
                    RedisTime.pass(jedis, "holdfast:waits", onServers);
                }
            }
        }
    }

    private abstract static class OnTemplate extends OnRedis {

        OnTemplate(LockStore store) {
            super(store);
        }

        /** Lettuce may have sent it before. */
        @Override
        public ReleaseReply notHolder() {
            return ReleaseReply.GONE;
        }
    }

    @Nested
    class OfThreeByJedis extends OnRedis {
        private static final LockStore STORE = open(TestRedis.Client.JEDIS, 3);

        OfThreeByJedis() {
            super(STORE);
        }
    }

    @Tag("full")
    @Nested
    class OfThreeByTemplate extends OnTemplate {
        private static final LockStore STORE = open(TestRedis.Client.TEMPLATE, 3);

        OfThreeByTemplate() {
            super(STORE);
        }
    }

    @Tag("full")
    @Nested
    class OfFiveByJedis extends OnRedis {
        private static final LockStore STORE = open(TestRedis.Client.JEDIS, 5);

        OfFiveByJedis() {
            super(STORE);
        }
    }

    @Nested
    class OfFiveByTemplate extends OnTemplate {
        private static final LockStore STORE = open(TestRedis.Client.TEMPLATE, 5);

        OfFiveByTemplate() {
            super(STORE);
        }
    }
}
