package com.example.numbers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

class InvoiceNumbersTest {

    private static int port;
    private static RedisServer redis;

    @TempDir
    private Path folder;

    @BeforeAll
    static void startRedis() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        redis = new RedisServer(port);
        redis.start();
    }

    @AfterAll
    static void stopRedis() throws IOException {
        redis.stop();
    }

    @Test
    void two_clients_never_give_the_same_number() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (RedisLocks one = new RedisLocks("localhost", port);
                RedisLocks two = new RedisLocks("localhost", port)) {
            Set<Long> numbers = new HashSet<>();
            for (Future<Long> number : threads.invokeAll(calls(one, two))) {
                numbers.add(number.get());
            }
            assertEquals(200, numbers.size());
        } finally {
            threads.shutdown();
        }
    }

    private List<Callable<Long>> calls(RedisLocks one, RedisLocks two) {
        Path file = folder.resolve("numbers.txt");
        Callable<Long> first = new InvoiceNumbers(one.locks(), file)::next;
        Callable<Long> second = new InvoiceNumbers(two.locks(), file)::next;
        return Stream.generate(() -> Stream.of(first, second))
                .limit(100)
                .flatMap(pair -> pair)
                .toList();
    }
}
