package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.autoconfigure.LockConnectionDetails.Cluster;
import io.holdfast.lock.spring.autoconfigure.LockConnectionDetails.Node;
import io.holdfast.lock.spring.autoconfigure.LockConnectionDetails.Sentinel;
import io.holdfast.lock.spring.autoconfigure.LockConnectionDetails.Standalone;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.RedisSentinelProcesses;
import io.holdfast.lock.testing.ServerNode;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import redis.clients.jedis.Jedis;

/** A bean that says where locks are kept: each kind of Redis, and what a user reads about a bean that is wrong. */
@Timeout(120)
class LockConnectionDetailsTest {

    private static final String KEY = "details";

    record Details(
            @Nullable Standalone getStandalone,
            @Nullable Sentinel getSentinel,
            @Nullable Cluster getCluster,
            @Nullable SslBundle getSslBundle)
            implements LockConnectionDetails {}

    private static ApplicationContextRunner application(Details details) {
        return Runners.redis()
                .withBean(LockConnectionDetails.class, () -> details)
                .withPropertyValues(
                        "holdfast.quorum.nodes=a.invalid,b.invalid,c.invalid", "holdfast.redis.command-timeout=30s");
    }

    private static void locks(Details details, String where, Supplier<ServerNode> server) {
        application(details).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(LockStore.class).toString()).startsWith(where);
            context.getBean(LockTemplate.class).execute(KEY, () -> {
                try (Jedis jedis = server.get().connect()) {
                    assertThat(jedis.exists("holdfast:{" + KEY + "}")).isTrue();
                }
            });
        });
    }

    private static List<Node> nodes(List<ServerNode> servers) {
        return servers.stream()
                .map(server -> new Node("127.0.0.1", server.port()))
                .toList();
    }

    @Test
    void cluster() {
        try (RedisClusterProcesses servers = RedisClusterProcesses.start(3, 0, Duration.ofMinutes(5))) {
            Cluster cluster = new Cluster(nodes(servers.nodes()));

            locks(
                    new Details(null, null, cluster, null),
                    "the Redis Cluster at ",
                    () -> servers.masterOf("holdfast:{" + KEY + "}"));
        }
    }

    @Test
    void sentinels() {
        try (RedisSentinelProcesses servers = RedisSentinelProcesses.start(0, Duration.ofMinutes(5))) {
            Sentinel sentinel = new Sentinel("locks", nodes(servers.sentinels()), 0, null, null);

            locks(
                    new Details(null, sentinel, null, null),
                    "the Redis primary 'locks' known to the sentinels at ",
                    servers::master);
        }
    }

    @Test
    void sentinels_have_a_user_of_their_own_and_the_primary_a_database() {
        Sentinel sentinel =
                new Sentinel("locks", List.of(new Node("sentinel.invalid", 26_379)), 3, "watcher", "s3cret");

        JedisConnectionFactory factory =
                (JedisConnectionFactory) LockConnections.create("here", new Details(null, sentinel, null, null));

        RedisSentinelConfiguration servers = factory.getSentinelConfiguration();
        assertThat(servers.getSentinelUsername()).isEqualTo("watcher");
        assertThat(servers.getSentinelPassword()).isEqualTo(RedisPassword.of("s3cret"));
        assertThat(servers.getDatabase()).isEqualTo(3);
        assertThat(servers.getUsername()).isNull();
        assertThat(servers.getPassword()).isEqualTo(RedisPassword.none());
        assertThat(sentinel.toString()).contains("locks", "sentinel.invalid").doesNotContain("s3cret");
    }

    @Test
    void bundle_means_tls_on_each_kind() {
        SslBundle bundle = SslBundle.systemDefault();
        List<Node> some = List.of(new Node("redis.invalid", 6379));

        assertThat(List.of(
                        new Details(new Standalone("redis.invalid", 6379, 0), null, null, bundle),
                        new Details(null, new Sentinel("locks", some, 0, null, null), null, bundle),
                        new Details(null, null, new Cluster(some), bundle)))
                .allSatisfy(details -> assertThat(
                                ((JedisConnectionFactory) LockConnections.create("here", details)).isUseSsl())
                        .isTrue());
    }

    @Test
    void password_of_a_url_is_not_shown() {
        assertThat(PropertiesLockConnectionDetails.of("any", "redis://user:s3cret@redis.invalid", null))
                .hasToString("redis.invalid:6379");
    }

    private static void isRefused(Details details, String problem) {
        application(details)
                .run(context -> assertThat(Startup.failureOf(context)).contains(problem, "Change that bean"));
    }

    @Test
    void details_without_a_server_are_refused() {
        isRefused(new Details(null, null, null, null), "exactly one of a single server, sentinels and a cluster");
    }

    @Test
    void details_with_two_kinds_of_servers_are_refused() {
        isRefused(
                new Details(new Standalone("127.0.0.1", 1, 0), null, new Cluster(List.of()), null),
                "exactly one of a single server, sentinels and a cluster");
    }

    @Test
    void details_without_nodes_are_refused() {
        isRefused(new Details(null, new Sentinel("locks", List.of(), 0, null, null), null, null), "no sentinels");
        isRefused(new Details(null, null, new Cluster(List.of()), null), "no nodes of the cluster");
    }

    @Test
    void wrong_port_or_database_is_refused() {
        isRefused(new Details(new Standalone("127.0.0.1", 70_000, 0), null, null, null), "70000");
        isRefused(new Details(new Standalone("127.0.0.1", 6379, -1), null, null, null), "-1");
    }

    @Test
    void jedis_that_is_not_there_is_named() {
        application(new Details(new Standalone("127.0.0.1", 6379, 0), null, null, null))
                .withClassLoader(new FilteredClassLoader("redis.clients"))
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("Locks use Jedis for the bean of type LockConnectionDetails, but Jedis is not on the"
                                + " classpath."));
    }
}
