package io.holdfast.lock.redis;

import io.holdfast.lock.redis.RedisLockSettings.Connection;
import io.holdfast.lock.testing.RestrictedRedis.User;
import io.holdfast.lock.testing.TestRedis;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** The ways of locks to a server that differ in the commands that they send. */
enum TriedConnection {
    DEDICATED(TestRedis.Client.JEDIS, Connection.DEDICATED),
    LETTUCE(TestRedis.Client.TEMPLATE, Connection.APPLICATION),
    JEDIS(TestRedis.Client.JEDIS, Connection.APPLICATION);

    final TestRedis.Client client;
    private final Connection connection;

    TriedConnection(TestRedis.Client client, Connection connection) {
        this.client = client;
        this.connection = connection;
    }

    boolean isDedicated() {
        return this == DEDICATED;
    }

    RedisLockSettings settings() {
        return TestRedis.PATIENT.withConnection(connection);
    }

    RedisConnectionFactory connect(User user) {
        return client.connect(user.server().address(), user.name(), user.password());
    }
}
