package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.testing.RedisAddress;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.RedisSentinelProcesses;
import io.holdfast.lock.testing.ServerNode;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The application has one server, its locks a cluster or sentinels. */
@Tag("full")
@Timeout(120)
class OwnTopologyTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private static String addresses(List<ServerNode> servers) {
        return servers.stream().map(server -> "127.0.0.1:" + server.port()).collect(Collectors.joining(","));
    }

    private static boolean holds(ServerNode server, String redisKey) {
        return server.ask(jedis -> jedis.hexists(redisKey, "owner"));
    }

    private static ApplicationContextRunner application(String client) {
        return Runners.redis().withPropertyValues("lock.redis.client-type=" + client);
    }

    @Test
    void cluster_by_some_of_its_nodes() {
        try (RedisClusterProcesses cluster = RedisClusterProcesses.start(3, 0, LONG)) {
            for (String client : List.of("jedis", "lettuce")) {
                application(client)
                        .withPropertyValues("lock.redis.cluster.nodes="
                                + addresses(cluster.nodes().subList(0, 2)))
                        .run(context -> locksEverywhere(context.getBean(LockTemplate.class), cluster));
            }
        }
    }

    /** Three names, each on another node. */
    private static void locksEverywhere(LockTemplate locks, RedisClusterProcesses cluster) {
        for (ServerNode node : cluster.nodes()) {
            String key = keyOn(node, cluster);
            locks.execute(
                    key, () -> assertThat(holds(node, "lock:{" + key + "}")).isTrue());
        }
    }

    private static String keyOn(ServerNode node, RedisClusterProcesses cluster) {
        while (true) {
            String key = UUID.randomUUID().toString();
            if (cluster.masterOf(key) == node) {
                return key;
            }
        }
    }

    @Test
    void master_that_sentinels_know() {
        String key = UUID.randomUUID().toString();
        try (RedisSentinelProcesses sentinels = RedisSentinelProcesses.start(1, LONG)) {
            for (String client : List.of("jedis", "lettuce")) {
                application(client)
                        .withPropertyValues(
                                "lock.redis.sentinel.master=" + RedisAddress.SENTINEL_MASTER,
                                "lock.redis.sentinel.nodes=" + addresses(sentinels.sentinels()),
                                "lock.redis.database=4")
                        .run(context -> context.getBean(LockTemplate.class)
                                .execute(
                                        key,
                                        () -> assertThat(holdsIn4(sentinels.master(), key))
                                                .isTrue()));
            }
        }
    }

    private static boolean holdsIn4(ServerNode server, String key) {
        return server.ask(jedis -> {
            jedis.select(4);
            return jedis.hexists("lock:{" + key + "}", "owner");
        });
    }
}
