package io.holdfast.lock.testing;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * Where an application finds its Redis, on this machine. As text, it can be passed to another process.
 *
 * @param ports the ports of the server, of nodes of the cluster, or of the sentinels
 */
public record RedisAddress(Kind kind, List<Integer> ports) {

    /** The name by which the sentinels know their master. */
    public static final String SENTINEL_MASTER = "locks";

    private static final String HOST = "127.0.0.1";

    /** The topology of the servers. */
    public enum Kind {
        STANDALONE,
        CLUSTER,
        SENTINEL
    }

    public static RedisAddress standalone(int port) {
        return new RedisAddress(Kind.STANDALONE, List.of(port));
    }

    /** The inverse of {@link #toString}. */
    public static RedisAddress parse(String text) {
        String[] parts = text.split(":", -1);
        return new RedisAddress(
                Kind.valueOf(parts[0]),
                Arrays.stream(parts[1].split(",", -1)).map(Integer::valueOf).toList());
    }

    @Override
    public String toString() {
        return kind + ":" + ports.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** The configuration for a user of the servers; sentinels require no user. */
    RedisConfiguration configuration(String user, String password) {
        RedisConfiguration servers = configuration();
        RedisConfiguration.WithAuthentication login = (RedisConfiguration.WithAuthentication) servers;
        login.setUsername(user);
        login.setPassword(password);
        return servers;
    }

    RedisConfiguration configuration() {
        return switch (kind) {
            case STANDALONE -> new RedisStandaloneConfiguration(HOST, ports.get(0));
            case CLUSTER -> {
                RedisClusterConfiguration cluster = new RedisClusterConfiguration();
                cluster.setClusterNodes(nodes());
                yield cluster;
            }
            case SENTINEL -> {
                RedisSentinelConfiguration sentinels = new RedisSentinelConfiguration();
                sentinels.setMaster(SENTINEL_MASTER);
                sentinels.setSentinels(nodes());
                yield sentinels;
            }
        };
    }

    private List<RedisNode> nodes() {
        return ports.stream().map(port -> new RedisNode(HOST, port)).toList();
    }
}
