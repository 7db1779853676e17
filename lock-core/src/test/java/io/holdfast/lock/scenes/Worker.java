package io.holdfast.lock.scenes;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.TestRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;

/** What the other JVMs of the tests do. Ends when its standard input ends, so it never outlives the test. */
final class Worker {

    private final LockEngine locks;
    private final BufferedReader commands =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private Worker(int redisPort) {
        this.locks = LockEngine.builder(new RedisLockStore(TestRedis.jedis(redisPort), RedisLockSettings.STANDARD))
                .build();
    }

    /** Arguments: port of Redis, then {@code hold KEY LEASE_MILLIS} or {@code count KEY LEASE_MILLIS DATABASE_URL}. */
    public static void main(String[] arguments) throws Exception {
        Worker worker = new Worker(Integer.parseInt(arguments[0]));
        LockRequest request = LockRequest.of(arguments[2]).lease(Duration.ofMillis(Long.parseLong(arguments[3])));
        if (arguments[1].equals("hold")) {
            worker.hold(request, arguments.length > 4 ? new GuardedCounter(arguments[4]) : null);
        } else {
            worker.count(request, new GuardedCounter(arguments[4]));
        }
        System.exit(0);
    }

    /** Holds the lock and answers questions about it. */
    private void hold(LockRequest request, GuardedCounter counter) throws IOException, SQLException {
        LockHandle handle = locks.acquire(request);
        System.out.println("HELD " + handle.fencingToken());
        for (String command = commands.readLine(); command != null; command = commands.readLine()) {
            switch (command) {
                case "ask" -> System.out.println(handle.isHeld() ? "HELD" : "LOST");
                case "write" ->
                    System.out.println(counter.incrementByToken(handle.fencingToken()) ? "WRITTEN" : "REFUSED");
                case "close" -> {
                    handle.close();
                    System.out.println("CLOSED");
                }
                default -> throw new IllegalArgumentException(command);
            }
        }
    }

    /** Counts under the lock until it is killed. */
    private void count(LockRequest request, GuardedCounter counter) throws SQLException {
        endWithStandardInput();
        System.out.println("STARTED");
        while (true) {
            try (LockHandle handle = locks.acquire(request.waitFor(Duration.ofSeconds(60)))) {
                counter.incrementUnguarded();
                counter.incrementByToken(handle.fencingToken());
            } catch (LockNotAcquiredException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    private void endWithStandardInput() {
        Thread watcher = new Thread(() -> {
            try {
                while (commands.readLine() != null) {}
            } catch (IOException parentDied) {
                System.exit(1);
            }
            System.exit(1);
        });
        watcher.setDaemon(true);
        watcher.start();
    }
}
