package io.holdfast.lock.redis.driver;

import java.util.Collection;
import java.util.stream.Collectors;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.ClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.SentinelConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.StaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithDomainSocket;
import org.springframework.data.redis.connection.RedisConfiguration.WithHostAndPort;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/** Where servers are, for people to read: without users and passwords. */
public final class Topology {

    private Topology() {}

    public static String describe(RedisConfiguration servers) {
        if (servers instanceof ClusterConfiguration cluster) {
            return "the Redis Cluster at " + nodes(cluster.getClusterNodes());
        }
        if (servers instanceof SentinelConfiguration sentinels) {
            String name = sentinels.getMaster() == null
                    ? "master"
                    : sentinels.getMaster().getName();
            return "the Redis primary '" + name + "' known to the sentinels at " + nodes(sentinels.getSentinels());
        }
        if (servers instanceof StaticMasterReplicaConfiguration replicated) {
            return "Redis at one of "
                    + replicated.getNodes().stream()
                            .map(node -> node.getHostName() + ':' + node.getPort())
                            .collect(Collectors.joining(", "));
        }
        if (servers instanceof WithDomainSocket local) {
            return "Redis at " + local.getSocket();
        }
        if (servers instanceof WithHostAndPort single) {
            return "Redis at " + single.getHostName() + ':' + single.getPort() + database(servers);
        }
        return "Redis";
    }

    private static String database(RedisConfiguration servers) {
        return servers instanceof RedisStandaloneConfiguration single && single.getDatabase() != 0
                ? ", database " + single.getDatabase()
                : "";
    }

    private static String nodes(Collection<? extends RedisNode> nodes) {
        return nodes.stream().map(RedisNode::asString).collect(Collectors.joining(", "));
    }
}
