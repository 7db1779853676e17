package io.holdfast.lock.scenes;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.WorkerProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;

/** What the other JVMs of the tests do. Ends when its standard input ends, so it never outlives the test. */
final class Worker {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int LOG_THREADS = 4;

    private final int redisPort;
    private final LockEngine locks;
    private final BufferedReader commands =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private Worker(int redisPort) {
        this.redisPort = redisPort;
        this.locks = LockEngine.builder(new RedisLockStore(TestRedis.jedis(redisPort), TestRedis.PATIENT))
                .build();
    }

    /** Starts one that uses the shared Redis; for the arguments see {@link #main}. */
    static WorkerProcess start(String... arguments) throws IOException {
        Stream<String> port = Stream.of(String.valueOf(TestRedis.shared().port()));
        return WorkerProcess.start(
                Worker.class, Stream.concat(port, Arrays.stream(arguments)).toArray(String[]::new));
    }

    /**
     * Arguments: port of Redis, then one of
     *
     * <pre>
     * hold KEY LEASE_MILLIS [DATABASE_URL]
     * permit KEY LEASE_MILLIS LIMIT
     * count KEY LEASE_MILLIS DATABASE_URL
     * line KEY LEASE_MILLIS LIST
     * log KEY LEASE_MILLIS LIST
     * </pre>
     */
    public static void main(String[] arguments) throws Exception {
        Worker worker = new Worker(Integer.parseInt(arguments[0]));
        LockRequest request = LockRequest.of(arguments[2]).lease(Duration.ofMillis(Long.parseLong(arguments[3])));
        switch (arguments[1]) {
            case "hold" ->
                worker.hold(request.waitFor(PATIENCE), arguments.length > 4 ? new GuardedCounter(arguments[4]) : null);
            case "permit" -> worker.hold(request.shared(Integer.parseInt(arguments[4])), null);
            case "count" -> worker.count(request, new GuardedCounter(arguments[4]));
            case "line" -> worker.line(request.fair(true).waitFor(PATIENCE), arguments[4]);
            case "log" -> worker.log(request.waitFor(PATIENCE), arguments[4]);
            default -> throw new IllegalArgumentException(arguments[1]);
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

    /** For each name that it reads, a thread waits for the lock, and then writes the name to a list in Redis. */
    private void line(LockRequest request, String list) throws IOException {
        System.out.println("STARTED");
        for (String name = commands.readLine(); name != null; name = commands.readLine()) {
            String waiting = name;
            inBackground(() -> {
                try (LockHandle handle = locks.acquire(request);
                        Jedis redis = TestRedis.administrator(redisPort)) {
                    redis.rpush(list, waiting);
                }
            });
        }
    }

    /** Several threads write the tokens that they get to a list in Redis, under the lock, until they are killed. */
    private void log(LockRequest request, String list) {
        for (int i = 0; i < LOG_THREADS; i++) {
            inBackground(() -> {
                try (Jedis redis = TestRedis.administrator(redisPort)) {
                    while (true) {
                        try (LockHandle handle = locks.acquire(request)) {
                            redis.rpush(list, String.valueOf(handle.fencingToken()));
                        }
                    }
                }
            });
        }
        System.out.println("STARTED");
        awaitEnd();
    }

    private static void inBackground(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    }

    private void endWithStandardInput() {
        inBackground(this::awaitEnd);
    }

    private void awaitEnd() {
        try {
            while (commands.readLine() != null) {}
        } catch (IOException parentDied) {
            System.exit(1);
        }
        System.exit(1);
    }
}
