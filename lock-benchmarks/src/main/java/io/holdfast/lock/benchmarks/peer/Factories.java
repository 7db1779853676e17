package io.holdfast.lock.benchmarks.peer;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.clients.jedis.JedisPoolConfig;

/** The connection factory that a Spring application would have, with a pool that no thread has to wait for. */
final class Factories {

    static final String HOST = "127.0.0.1";

    private Factories() {}

    static JedisConnectionFactory jedis(int port) {
        return started(new JedisConnectionFactory(new RedisStandaloneConfiguration(HOST, port), pooled()));
    }

    static LettuceConnectionFactory lettuce(int port) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(new RedisStandaloneConfiguration(HOST, port));
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    static void destroy(RedisConnectionFactory factory) {
        try {
            ((DisposableBean) factory).destroy();
        } catch (Exception e) {
            throw new IllegalStateException("A connection factory failed to shut down", e);
        }
    }

    static JedisConnectionFactory jedisCluster(Servers servers) {
        RedisClusterConfiguration cluster = new RedisClusterConfiguration();
        servers.ports().forEach(port -> cluster.clusterNode(HOST, port));
        return started(new JedisConnectionFactory(cluster, pooled()));
    }

    private static JedisClientConfiguration pooled() {
        JedisPoolConfig pool = new JedisPoolConfig();
        pool.setMaxTotal(Peer.CONNECTIONS);
        pool.setMaxIdle(Peer.CONNECTIONS);
        pool.setJmxEnabled(false);
        return JedisClientConfiguration.builder().usePooling().poolConfig(pool).build();
    }

    private static JedisConnectionFactory started(JedisConnectionFactory factory) {
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }
}
