package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;

/**
 * Each fault strikes each state of a lock, on each kind of connection. The outcome is right, or said to be unknown; nobody else gets the
 * lock while it is held; no lock is reported as lost; a waiter gets a released lock in time; and afterwards the lock works, with a greater
 * token.
 */
class FaultMatrixTest {

    private enum State {
        ACQUIRE,
        EXTEND,
        RENEW,
        POLL,
        RELEASE,
        FORCED_RELEASE,
        HAND_OVER
    }

    private enum Fault {
        /** The connections break before the command has reached the server. */
        CUT_BEFORE,
        /** They break after the server has executed it. */
        CUT_AFTER,
        /** Nothing comes back on these connections any more, while others work. */
        REPLY_LOST,
        /** The server hangs for longer than a command may take. */
        HANG,
        /** The server dies before it has executed the command, and is started again, with its data. */
        RESTART;

        boolean isCut() {
            return this == CUT_BEFORE || this == CUT_AFTER;
        }

        /** Sooner or later the server executes the command. */
        boolean isExecuted() {
            return this == CUT_AFTER || this == REPLY_LOST || this == HANG;
        }
    }

    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final Duration HANGS = Duration.ofMillis(1500);

    /** Nothing is renewed meanwhile, and nothing is free because its lease has ended. */
    private static final Duration LEASE = Duration.ofMinutes(5);

    /** Renewed after five seconds. The ten that remain suffice for a server that starts again while the machine is busy. */
    private static final Duration RENEWED_LEASE = Duration.ofSeconds(15);

    /** As documented, see P5. */
    private static final Duration IN_TIME = Duration.ofSeconds(4);

    /** A lock that was granted by message is not held for longer while Redis fails. */
    private static final Duration UNCONFIRMED = Duration.ofSeconds(2);

    private static @Nullable RedisServerProcess single;
    private static @Nullable RedisServerProcess cluster;

    private final Queue<LockEvent.Lost> losses = new ConcurrentLinkedQueue<>();
    private final Queue<LockEvent> queued = new ConcurrentLinkedQueue<>();
    private String cell;
    private String key;
    private RedisServerProcess server;
    private FaultProxy proxy;
    private RedisConnectionFactory applications;
    private RedisLockStore store;
    private LockEngine client;
    private RedisConnectionFactory direct;
    private RedisLockStore directStore;
    private LockEngine others;
    private LockEngine third;

    private static Stream<Arguments> cells(Set<ConnectionKind> kinds, Set<State> states, Set<Fault> faults) {
        return kinds.stream()
                .flatMap(kind -> states.stream()
                        .flatMap(state -> faults.stream().map(fault -> Arguments.of(kind, state, fault))));
    }

    private static final Set<ConnectionKind> ONE_SERVER =
            EnumSet.of(ConnectionKind.DEDICATED, ConnectionKind.JEDIS, ConnectionKind.LETTUCE);
    private static final Set<ConnectionKind> CLUSTER =
            EnumSet.of(ConnectionKind.DEDICATED_CLUSTER, ConnectionKind.JEDIS_CLUSTER, ConnectionKind.LETTUCE_CLUSTER);
    private static final Set<Fault> CUTS = EnumSet.of(Fault.CUT_BEFORE, Fault.CUT_AFTER);

    /** {@link RepeatedCallsTest} has releases that were executed. */
    private static Stream<Arguments> cuts() {
        return Stream.concat(
                cells(ONE_SERVER, EnumSet.of(State.ACQUIRE, State.EXTEND, State.POLL, State.HAND_OVER), CUTS),
                cells(ONE_SERVER, EnumSet.of(State.RELEASE, State.FORCED_RELEASE), EnumSet.of(Fault.CUT_BEFORE)));
    }

    private static Stream<Arguments> others() {
        return Stream.of(
                        cells(ONE_SERVER, EnumSet.of(State.RENEW), CUTS),
                        cells(ONE_SERVER, EnumSet.of(State.RELEASE, State.FORCED_RELEASE), EnumSet.of(Fault.CUT_AFTER)),
                        cells(ONE_SERVER, EnumSet.allOf(State.class), EnumSet.complementOf(EnumSet.copyOf(CUTS))),
                        cells(
                                CLUSTER,
                                EnumSet.allOf(State.class),
                                EnumSet.of(Fault.CUT_BEFORE, Fault.CUT_AFTER, Fault.HANG)))
                .flatMap(each -> each);
    }

    @ParameterizedTest
    @MethodSource
    void cuts(ConnectionKind kind, State state, Fault fault) throws Exception {
        RunningTime.withoutPause(() -> check(kind, state, fault));
    }

    @ParameterizedTest
    @MethodSource
    @Tag("full")
    void others(ConnectionKind kind, State state, Fault fault) throws Exception {
        RunningTime.withoutPause(() -> check(kind, state, fault));
    }

    private void check(ConnectionKind kind, State state, Fault fault) throws Exception {
        // Before Jedis repeats a call in a cluster, it pauses for a share of the timeout: of a long one, for longer
        // than the renewed lease.
        boolean isPatient = fault.isCut() && !(kind == ConnectionKind.JEDIS_CLUSTER && state == State.RENEW);
        cell = kind + " " + state + " " + fault;
        open(kind, isPatient ? TestRedis.PATIENT.commandTimeout() : TIMEOUT);
        try {
            long token = others.inspect(key).lastFencingToken();
            // Jedis in a cluster repeats a call up to five times. After two broken connections in a row it first
            // pauses for a random time of up to a ninth of five timeouts (ClusterCommandExecutor).
            boolean pauses = kind == ConnectionKind.JEDIS_CLUSTER;
            boolean inTime = kind.isDedicated() || (fault != Fault.REPLY_LOST && !pauses);
            switch (state) {
                case ACQUIRE -> acquire(fault);
                case EXTEND -> extend(fault);
                case RENEW -> renew(fault);
                case POLL -> poll(fault, inTime);
                case RELEASE -> release(fault, !pauses);
                case FORCED_RELEASE -> forceRelease(fault);
                case HAND_OVER -> handOver(fault, inTime);
            }
            assertWorks(token);
        } finally {
            close();
        }
    }

    // The states.

    private void acquire(Fault fault) throws Exception {
        CompletableFuture<LockHandle> call =
                struck(fault, () -> client.acquire(request()).detach());

        LockHandle handle = resultOf(call, fault);
        if (handle != null) {
            assertHeldUntilClosed(handle);
        }
    }

    private void extend(Fault fault) throws Exception {
        LockHandle handle = client.acquire(request());

        Boolean extended = resultOf(
                struck(fault, () -> {
                    handle.extend(LEASE.multipliedBy(2));
                    return true;
                }),
                fault);

        if (extended != null || fault.isExecuted()) {
            await(() -> holder().remaining().compareTo(LEASE) > 0);
        }
        assertHeldUntilClosed(handle);
    }

    private void renew(Fault fault) throws Exception {
        LockHandle handle = client.acquire(request().lease(RENEWED_LEASE));

        strike(fault, () -> {});

        Duration longest = RENEWED_LEASE.multipliedBy(2).dividedBy(3);
        await(() -> holder().remaining().compareTo(longest) > 0);
        assertHeldUntilClosed(handle);
    }

    private void poll(Fault fault, boolean inTime) throws Exception {
        LockHandle held = others.acquire(request()).detach();
        CompletableFuture<LockHandle> waiter = waiter(client);

        strike(fault, () -> {});
        assertThat(waiter).isNotDone();
        held.close();

        assertHeldUntilClosed(taken(waiter, inTime));
    }

    private void release(Fault fault, boolean inTime) throws Exception {
        LockHandle held = client.acquire(request()).detach();
        CompletableFuture<LockHandle> waiter = waiter(others);

        CompletableFuture<Boolean> call = struck(fault, () -> {
            held.close();
            return true;
        });

        LockHandle next = taken(waiter, inTime);
        assertThat(call.get(1, TimeUnit.MINUTES)).isTrue();
        next.close();
    }

    /** The holder learns that its hold was ended, and the hold of the next one goes on. */
    private void forceRelease(Fault fault) throws Exception {
        LockHandle victim = others.acquire(request());
        String victimId = holder().clientId();
        CompletableFuture<LockHandle> waiter = waiter(third);

        CompletableFuture<List<LockHolder>> call = struck(fault, () -> client.forceRelease(key));

        List<LockHolder> former = null;
        try {
            former = call.get(1, TimeUnit.MINUTES);
        } catch (ExecutionException e) {
            assertUnknown(e);
        }
        // It may not have been carried out although a script was: another client's, while this one was connecting.
        if (former == null && holder().clientId().equals(victimId)) {
            await(() -> client.forceRelease(key) != null);
        } else if (former != null) {
            assertThat(former).extracting(LockHolder::clientId).containsExactly(victimId);
        }
        LockHandle next = waiter.get(1, TimeUnit.MINUTES);
        await(() -> client.tryAcquire(key).isEmpty());
        next.ensureHeld();
        next.close();
        assertThatThrownBy(victim::close).isInstanceOf(LockLostException.class);
    }

    private void handOver(Fault fault, boolean inTime) throws Exception {
        LockHandle held = others.acquire(request()).detach();
        CompletableFuture<LockHandle> waiter = waiter(client);
        Duration start = RunningTime.now();

        strike(
                fault,
                () -> NewThread.start(() -> {
                    held.close();
                    return true;
                }));

        Duration took = RunningTime.now().minus(start);
        LockHandle next = taken(waiter, inTime);
        if (fault != Fault.RESTART || took.compareTo(UNCONFIRMED) < 0) {
            assertHeldUntilClosed(next);
        } else {
            closeThoughLost(next);
        }
    }

    // The faults.

    /** Starts a call, and returns when the fault has struck it and is over. */
    private <T> CompletableFuture<T> struck(Fault fault, Supplier<T> call) throws Exception {
        CompletableFuture<CompletableFuture<T>> started = new CompletableFuture<>();
        strike(fault, () -> started.complete(NewThread.start(call)));
        return started.get();
    }

    /** Without a call, the fault strikes the next command of the client. */
    private void strike(Fault fault, Runnable call) throws Exception {
        switch (fault) {
            case CUT_BEFORE -> {
                withhold(call);
                proxy.swallow(null);
                proxy.cut();
            }
            case CUT_AFTER -> {
                long before = executed();
                proxy.loseReplies(true);
                call.run();
                awaitExecuted(before);
                proxy.cut();
                proxy.loseReplies(false);
                for (int i = 0; i < 20; i++) { // also those that were just being accepted: they are out of step
                    proxy.cut();
                    TimeUnit.MILLISECONDS.sleep(10);
                }
            }
            case REPLY_LOST -> {
                long before = executed();
                proxy.silence();
                call.run();
                awaitExecuted(before);
            }
            case HANG -> {
                server.pause();
                call.run();
                TimeUnit.MILLISECONDS.sleep(HANGS.toMillis());
                server.resume();
            }
            case RESTART -> {
                withhold(call);
                server.kill();
                proxy.swallow(null);
                server.startAgain();
            }
        }
    }

    private void withhold(Runnable call) {
        proxy.swallow("EVALSHA");
        call.run();
        await(() -> proxy.swallowed() > 0);
    }

    /**
     * A poll may have been executed already when its reply was lost, so there is not necessarily another one; and a pool of the application
     * may be connecting, so that the fault strikes the handshake.
     */
    private void awaitExecuted(long before) throws InterruptedException {
        Duration start = RunningTime.now();
        while (executed() == before && RunningTime.now().minus(start).compareTo(IN_TIME) < 0) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    /** How many scripts the server has executed. */
    private long executed() {
        try (Jedis administrator = TestRedis.administrator(server.port())) {
            return Pattern.compile("cmdstat_evalsha:calls=(\\d+)")
                    .matcher(administrator.info("commandstats"))
                    .results()
                    .map(MatchResult::group)
                    .mapToLong(line -> Long.parseLong(line.substring(line.indexOf('=') + 1)))
                    .sum();
        }
    }

    // The expectations.

    /** The result of a call; null if it failed, and said that its outcome is unknown. A broken connection fails no call. */
    private static <T> @Nullable T resultOf(CompletableFuture<T> call, Fault fault) throws Exception {
        try {
            return call.get(1, TimeUnit.MINUTES);
        } catch (ExecutionException e) {
            assertThat(fault.isCut()).as("%s", e).isFalse();
            assertUnknown(e);
            return null;
        }
    }

    private static void assertUnknown(ExecutionException e) {
        assertThat(e.getCause())
                .isInstanceOfSatisfying(
                        LockStoreException.class,
                        failure -> assertThat(failure.outcomeUnknown()).isTrue());
    }

    private void assertHeldUntilClosed(LockHandle handle) {
        assertThat(handle.isHeld()).isTrue();
        assertThat(others.tryAcquire(key)).isEmpty();
        assertThat(handle.isHeld()).isTrue();
        handle.close();
        assertThat(losses).isEmpty();
    }

    private void closeThoughLost(LockHandle handle) {
        try {
            handle.close();
        } catch (LockLostException e) {
            losses.clear();
        }
    }

    private LockHandle taken(CompletableFuture<LockHandle> waiter, boolean inTime) throws Exception {
        Duration released = RunningTime.now();
        LockHandle handle = waiter.get(1, TimeUnit.MINUTES);
        if (inTime) {
            assertThat(RunningTime.now().minus(released)).as(cell).isLessThan(IN_TIME);
        }
        return handle;
    }

    private void assertWorks(long token) {
        await(() -> client.tryAcquire(key)
                .map(handle -> {
                    assertThat(handle.fencingToken()).isGreaterThan(token);
                    handle.close();
                    return true;
                })
                .orElse(false));
        await(() ->
                others.inspect(key).holders().isEmpty() && others.inspect(key).waiters() == 0);
        assertThat(losses).isEmpty();
    }

    private LockHolder holder() {
        return others.inspect(key).holder().orElseThrow();
    }

    private LockRequest request() {
        return LockRequest.of(key).lease(LEASE);
    }

    private CompletableFuture<LockHandle> waiter(LockEngine engine) {
        CompletableFuture<LockHandle> waiter = NewThread.start(
                () -> engine.acquire(request().waitFor(Duration.ofMinutes(2))).detach());
        await(() -> !queued.isEmpty());
        return waiter;
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .ignoreException(LockStoreException.class)
                .until(condition);
    }

    // The clients.

    private void open(ConnectionKind kind, Duration timeout) {
        key = "matrix:" + UUID.randomUUID();
        losses.clear();
        queued.clear();
        server = kind.isCluster() ? cluster() : single();
        proxy = new FaultProxy(server.port());
        if (kind.isCluster()) {
            announce(proxy.port());
        }
        applications = kind.connect(proxy.port(), timeout);
        store = new RedisLockStore(applications, kind.settings(timeout));
        client = engine(store);
        ConnectionKind past = kind.isCluster() ? ConnectionKind.DEDICATED_CLUSTER : ConnectionKind.DEDICATED;
        direct = past.connect(server.port(), TestRedis.PATIENT.commandTimeout());
        directStore = new RedisLockStore(direct, past.settings(TestRedis.PATIENT.commandTimeout()));
        others = engine(directStore);
        third = engine(directStore);
        loadScripts();
    }

    private LockEngine engine(RedisLockStore on) {
        return LockEngine.builder(on)
                .listener(event -> {
                    if (event instanceof LockEvent.Waiting) {
                        queued.add(event);
                    } else if (event instanceof LockEvent.Lost lost && on == store) {
                        losses.add(lost);
                    }
                })
                .build();
    }

    /** Otherwise the reply that is lost says that the script is unknown. */
    private void loadScripts() {
        LockKey other = LockKey.of(key + ":other");
        OwnerId nobody = new OwnerId("nobody", 1);
        await(() -> {
            client.acquire(other.value()).close();
            store.renew(List.of(Requests.renewal(other, nobody, 1000)));
            store.keepEntries(List.of(Requests.entries(other, List.of(nobody))));
            store.forceRelease(other);
            return true;
        });
    }

    private void close() {
        client.close();
        others.close();
        third.close();
        store.close();
        directStore.close();
        TestRedis.destroy(applications);
        TestRedis.destroy(direct);
        proxy.close();
    }

    private static RedisServerProcess single() {
        if (single == null) {
            single = RedisServerProcess.start("--appendonly", "yes", "--appendfsync", "always");
        }
        return single;
    }

    /** A cluster of one node. */
    private static RedisServerProcess cluster() {
        if (cluster == null) {
            cluster = RedisServerProcess.start("--cluster-enabled", "yes");
            try (Jedis jedis = TestRedis.administrator(cluster.port())) {
                jedis.clusterAddSlots(IntStream.range(0, 16_384).toArray());
                Awaitility.await().until(() -> jedis.clusterInfo().contains("cluster_state:ok"));
            }
        }
        return cluster;
    }

    private void announce(int port) {
        try (Jedis jedis = TestRedis.administrator(server.port())) {
            jedis.configSet("cluster-announce-port", String.valueOf(port));
        }
    }

    @AfterAll
    static void stop() {
        Stream.of(single, cluster).filter(each -> each != null).forEach(RedisServerProcess::close);
    }
}
