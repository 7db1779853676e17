package com.example.numbers;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** Numbers from a file that processes share: read, add one, write, under a lock. */
public class InvoiceNumbers {

    private final LockTemplate locks;
    private final Path file;

    InvoiceNumbers(LockTemplate locks, Path file) {
        this.locks = locks;
        this.file = file;
    }

    long next() throws IOException {
        return locks.execute("invoice-numbers", () -> {
            long number = Files.exists(file) ? Long.parseLong(Files.readString(file)) + 1 : 1;
            Files.writeString(file, Long.toString(number));
            return number;
        });
    }

    public static void main(String[] args) throws IOException {
        try (RedisLocks redis = new RedisLocks(args[0], Integer.parseInt(args[1]))) {
            System.out.println(new InvoiceNumbers(redis.locks(), Path.of(args[2])).next());
        }
    }
}

/** The locks of a process: created once, and closed at its end. */
class RedisLocks implements AutoCloseable {

    private final JedisConnectionFactory connections;
    private final RedisLockStore store;
    private final LockEngine engine;

    RedisLocks(String host, int port) {
        connections = new JedisConnectionFactory(new RedisStandaloneConfiguration(host, port));
        connections.afterPropertiesSet();
        store = new RedisLockStore(connections, RedisLockSettings.STANDARD);
        engine = LockEngine.builder(store).build();
    }

    LockTemplate locks() {
        return engine;
    }

    @Override
    public void close() {
        engine.close();
        store.close();
        connections.destroy();
    }
}
