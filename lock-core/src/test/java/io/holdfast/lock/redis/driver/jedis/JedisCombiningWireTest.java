package io.holdfast.lock.redis.driver.jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.driver.RedisFailures;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.redis.driver.Wire.Acks;
import io.holdfast.lock.redis.driver.Wire.Answers;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import io.holdfast.lock.redis.driver.Wire.Sent;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.testing.NoScript;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/** Calls beyond the connections are written and read together, and each gets its own answer, or fails once. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class JedisCombiningWireTest {

    private static final int CONNECTIONS = 4;
    private static final int ALONE = 2;
    private static final int BATCHES = 2;
    private static final int FULL_BATCH = 64;
    private static final Duration PATIENT = Duration.ofMinutes(1);

    private final Server server = new Server();
    private final JedisCombiningWire wire = new JedisCombiningWire(server, CONNECTIONS, PATIENT);
    private final List<Sent> alone = new ArrayList<>();

    /** Answers each call with its first key, if it may, and notes what was sent together. */
    private static final class Server implements Wire {

        private final List<List<String>> sent = new CopyOnWriteArrayList<>();
        private final AtomicInteger reading = new AtomicInteger();
        private final AtomicInteger open = new AtomicInteger();
        private volatile Runnable beforeWrite = () -> {};
        private volatile Runnable beforeRead = () -> {};

        @Override
        public Sent send(List<ScriptCall> calls, Acks acks, long start) {
            beforeWrite.run();
            assertThat(open.incrementAndGet()).isLessThanOrEqualTo(CONNECTIONS);
            sent.add(calls.stream().map(JedisCombiningWireTest::key).toList());
            AtomicInteger awaited = new AtomicInteger();
            return () -> {
                assertThat(awaited.incrementAndGet()).isEqualTo(1);
                try {
                    reading.incrementAndGet();
                    beforeRead.run();
                    return new Answers(
                            calls.stream()
                                    .map(call -> (Object) call.keysAndArgs()[0])
                                    .toList(),
                            0);
                } finally {
                    open.decrementAndGet();
                }
            };
        }
    }

    private static String key(ScriptCall call) {
        return new String(call.keysAndArgs()[0], StandardCharsets.UTF_8);
    }

    private static List<ScriptCall> calls(String key) {
        return List.of(new ScriptCall(new NoScript(), 1, new byte[][] {key.getBytes(StandardCharsets.UTF_8)}, false));
    }

    private Sent begin(String key) {
        return wire.send(calls(key), Acks.NONE, System.nanoTime());
    }

    private static String await(Sent sent) {
        return new String((byte[]) sent.await().replies().get(0), StandardCharsets.UTF_8);
    }

    private static <T> CompletableFuture<T> waiting(Supplier<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                result.complete(work.get());
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
        thread.start();
        Awaitility.await()
                .until(() -> result.isDone()
                        || thread.getState() == Thread.State.WAITING
                        || thread.getState() == Thread.State.TIMED_WAITING);
        return result;
    }

    private void useAllAlone() {
        IntStream.range(0, ALONE).forEach(i -> alone.add(begin("alone:" + i)));
    }

    /** Batches that nobody reads yet. */
    private List<Sent> useAllBatches() {
        return IntStream.range(0, BATCHES).mapToObj(i -> begin("batch:" + i)).toList();
    }

    @Test
    void few_calls_have_a_connection_each() {
        Sent first = begin("a");
        Sent second = begin("b");

        assertThat(server.sent).containsExactly(List.of("a"), List.of("b"));
        assertThat(await(second)).isEqualTo("b");
        assertThat(await(first)).isEqualTo("a");
        await(begin("c"));
        assertThat(server.sent).hasSize(3);
    }

    @Test
    void what_piles_up_is_sent_together_and_each_gets_its_own_answer() {
        useAllAlone();
        List<Sent> batches = useAllBatches();
        List<Sent> pending =
                IntStream.range(0, 5).mapToObj(i -> begin("pending:" + i)).toList();
        assertThat(server.sent).hasSize(ALONE + BATCHES);

        assertThat(await(batches.get(0))).isEqualTo("batch:0");

        assertThat(server.sent.get(ALONE + BATCHES))
                .containsExactly("pending:0", "pending:1", "pending:2", "pending:3", "pending:4");
        for (int i = 4; i >= 0; i--) {
            assertThat(await(pending.get(i))).isEqualTo("pending:" + i);
        }
        assertThat(await(batches.get(1))).isEqualTo("batch:1");
        alone.forEach(JedisCombiningWireTest::await);
        assertThat(server.open).hasValue(0);
    }

    @Test
    void pending_call_reads_what_nobody_reads_and_is_sent_then() {
        useAllAlone();
        List<Sent> batches = useAllBatches();

        assertThat(await(begin("pending"))).isEqualTo("pending");

        assertThat(batches.stream().map(JedisCombiningWireTest::await)).containsExactly("batch:0", "batch:1");
    }

    @Test
    void pending_call_that_waits_already_is_woken_to_read_what_nobody_reads() {
        useAllAlone();
        List<CountDownLatch> mayRead = List.of(new CountDownLatch(1), new CountDownLatch(1));
        AtomicInteger batch = new AtomicInteger();
        server.beforeRead = () -> {
            int number = batch.getAndIncrement();
            if (number < BATCHES) {
                awaitUninterruptibly(mayRead.get(number));
            }
        };
        List<CompletableFuture<String>> readers =
                useAllBatches().stream().map(each -> waiting(() -> await(each))).toList();
        List<Sent> fullBatch = IntStream.range(0, FULL_BATCH)
                .mapToObj(i -> begin("begun:" + i))
                .toList();
        CompletableFuture<String> waits = waiting(() -> await(begin("waits")));

        mayRead.get(0).countDown(); // the full batch is written, and nobody waits for it but the call behind it

        assertThat(waits.orTimeout(30, TimeUnit.SECONDS).join()).isEqualTo("waits");
        mayRead.get(1).countDown();
        readers.forEach(each -> each.orTimeout(1, TimeUnit.MINUTES).join());
        assertThat(fullBatch.stream().map(JedisCombiningWireTest::await)).hasSize(FULL_BATCH);
    }

    @Test
    void broken_connection_fails_each_call_on_it_once_and_no_other() {
        useAllAlone();
        List<Sent> batches = useAllBatches();
        List<Sent> together =
                IntStream.range(0, 3).mapToObj(i -> begin("b:" + i)).toList();
        await(batches.get(0)); // they are written
        Sent pending = begin("pending");
        server.beforeRead = () -> {
            server.beforeRead = () -> {};
            throw new JedisConnectionException("cut on purpose");
        };

        List<Throwable> failures = new ArrayList<>();
        for (Sent each : together) {
            failures.add(org.assertj.core.api.Assertions.catchThrowable(each::await));
        }

        assertThat(failures)
                .allSatisfy(failure -> assertThat(failure)
                        .isInstanceOf(JedisConnectionException.class)
                        .hasMessage("cut on purpose"));
        assertThat(failures).doesNotHaveDuplicates();
        assertThat(await(pending)).isEqualTo("pending");
        assertThat(await(batches.get(1))).isEqualTo("batch:1");
        alone.forEach(JedisCombiningWireTest::await);
    }

    @Test
    void failure_to_write_fails_those_that_were_to_be_written_and_frees_their_place() {
        useAllAlone();
        server.beforeWrite = () -> {
            server.beforeWrite = () -> {};
            throw new JedisConnectionException("refused on purpose");
        };
        Sent refused = begin("refused");

        assertThatThrownBy(refused::await).hasMessage("refused on purpose");

        List<Sent> batches = useAllBatches();
        assertThat(batches.stream().map(JedisCombiningWireTest::await)).containsExactly("batch:0", "batch:1");
    }

    @Test
    void error_while_reading_ends_all_calls_of_the_batch() {
        useAllAlone();
        List<Sent> batches = useAllBatches();
        server.beforeRead = () -> {
            server.beforeRead = () -> {};
            throw new OutOfMemoryError("on purpose");
        };

        assertThatThrownBy(batches.get(0)::await).hasRootCauseMessage("on purpose");

        assertThat(await(begin("next"))).isEqualTo("next");
    }

    @Test
    void call_that_is_pending_for_too_long_is_given_up_and_never_sent() {
        JedisCombiningWire impatient = new JedisCombiningWire(server, 1, Duration.ofMillis(50));
        CountDownLatch mayRead = new CountDownLatch(1);
        server.beforeRead = () -> awaitUninterruptibly(mayRead);
        CompletableFuture<String> first =
                waiting(() -> await(impatient.send(calls("first"), Acks.NONE, System.nanoTime())));
        Sent late = impatient.send(calls("late"), Acks.NONE, System.nanoTime());

        assertThatThrownBy(late::await).isInstanceOfSatisfying(JedisException.class, e -> {
            LockStoreException told = RedisFailures.translate(e, () -> "the server");
            assertThat(told).hasCauseInstanceOf(ConnectionsInUseException.class);
            assertThat(told.outcomeUnknown()).isFalse();
        });

        mayRead.countDown();
        assertThat(first.orTimeout(1, TimeUnit.MINUTES).join()).isEqualTo("first");
        assertThat(await(impatient.send(calls("next"), Acks.NONE, System.nanoTime())))
                .isEqualTo("next");
        assertThat(server.sent).containsExactly(List.of("first"), List.of("next"));
    }

    @Test
    void interrupt_ends_what_is_pending_and_nothing_that_was_sent() throws Exception {
        useAllAlone();
        Semaphore mayRead = new Semaphore(0);
        server.beforeRead = mayRead::acquireUninterruptibly;
        List<CompletableFuture<String>> readers =
                useAllBatches().stream().map(each -> waiting(() -> await(each))).toList();
        AtomicInteger interrupted = new AtomicInteger();
        Thread thread = new Thread(() -> {
            try {
                await(begin("pending"));
            } catch (RuntimeException e) {
                interrupted.set(
                        Thread.currentThread().isInterrupted() && e.getCause() instanceof InterruptedException
                                ? 1
                                : -1);
            }
        });
        thread.start();
        Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);

        thread.interrupt();
        thread.join();

        assertThat(interrupted).hasValue(1);
        mayRead.release(10);
        readers.forEach(each -> each.orTimeout(1, TimeUnit.MINUTES).join());
        assertThat(server.sent).noneMatch(each -> each.contains("pending"));
    }

    @Test
    void calls_that_wait_for_replicas_have_a_connection_for_themselves() {
        useAllAlone();
        Sent counted = wire.send(calls("counted"), new Acks(1, Duration.ofSeconds(1)), System.nanoTime());
        begin("other");

        assertThat(server.sent).contains(List.of("counted"));
        assertThat(await(counted)).isEqualTo("counted");
    }

    @Test
    void many_threads_each_get_their_answers_whatever_some_of_them_do() throws Exception {
        JedisCombiningWire busy = new JedisCombiningWire(server, CONNECTIONS, Duration.ofMillis(5));
        AtomicInteger answered = new AtomicInteger();
        AtomicInteger givenUp = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        List<Throwable> wrong = new CopyOnWriteArrayList<>();
        for (int t = 0; t < 16; t++) {
            int number = t;
            Thread thread = new Thread(() -> {
                Random random = new Random(number);
                for (int i = 0; i < 2_000; i++) {
                    String key = number + ":" + i;
                    if (random.nextInt(50) == 0) {
                        Thread.currentThread().interrupt();
                    }
                    try {
                        Sent sent = busy.send(calls(key), Acks.NONE, System.nanoTime());
                        if (random.nextInt(20) == 0) {
                            Thread.yield(); // begun, and awaited later
                        }
                        assertThat(await(sent)).isEqualTo(key);
                        answered.incrementAndGet();
                    } catch (RuntimeException e) {
                        givenUp.incrementAndGet();
                    } catch (AssertionError e) {
                        wrong.add(e);
                    }
                    boolean unused = Thread.interrupted();
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(wrong).isEmpty();
        assertThat(answered.get() + givenUp.get()).isEqualTo(16 * 2_000);
        assertThat(answered).hasValueGreaterThan(16 * 1_000);
        assertThat(server.open).hasValue(0);
        Sent first = busy.send(calls("a"), Acks.NONE, System.nanoTime());
        Sent second = busy.send(calls("b"), Acks.NONE, System.nanoTime());
        Sent third = busy.send(calls("c"), Acks.NONE, System.nanoTime());
        assertThat(List.of(await(third), await(second), await(first))).containsExactly("c", "b", "a");
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
