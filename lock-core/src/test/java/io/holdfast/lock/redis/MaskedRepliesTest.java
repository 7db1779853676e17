package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.scan.StoreScan;
import io.holdfast.lock.store.scan.WaitReport;
import io.holdfast.lock.testing.CapturedLog;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.TestRedis;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import javax.net.ssl.TrustManagerFactory;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import redis.clients.jedis.Jedis;

/** Whatever a server replies, nothing that is thrown, logged or published contains the text of a masked key. */
@ParameterizedClass
@EnumSource
class MaskedRepliesTest {

    private static final String PERSONAL = "anna@example.com";
    private static final LockKey KEY = LockKey.of(PERSONAL).masked();
    private static final LockKey OTHER = LockKey.of(PERSONAL + "/2").masked();
    private static final OwnerId OWNER = new OwnerId("client", 1);
    private static final HolderInfo HERE = new HolderInfo("web-1", 1, "main");

    /** How locks reach Redis. */
    enum Driver {
        DEDICATED_JEDIS,
        JEDIS_OF_THE_APPLICATION,
        LETTUCE_OF_THE_APPLICATION;

        RedisConnectionFactory connect(int port) {
            return connect(new RedisStandaloneConfiguration("127.0.0.1", port), null);
        }

        RedisConnectionFactory connect(RedisStandaloneConfiguration place, @Nullable TrustManagerFactory trust) {
            return switch (this) {
                case DEDICATED_JEDIS -> TestRedis.Client.JEDIS.connect(place, trust);
                case JEDIS_OF_THE_APPLICATION -> TestRedis.hide(TestRedis.Client.JEDIS.connect(place, trust));
                case LETTUCE_OF_THE_APPLICATION -> TestRedis.Client.TEMPLATE.connect(place, trust);
            };
        }
    }

    @Parameter
    private Driver driver;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final CapturedLog captured = new CapturedLog("io.holdfast", Level.TRACE);

    private RedisLockStore storeAt(int port, RedisLockSettings settings) {
        RedisConnectionFactory connections = driver.connect(port);
        RedisLockStore store = new RedisLockStore(connections, settings);
        open.add(0, () -> TestRedis.destroy(connections));
        open.add(0, store);
        store.inspect(LockKey.of("a"));
        return store;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        captured.close();
    }

    /** Each call to Redis that the store makes. */
    private static Map<String, Callable<?>> calls(LockStore store) {
        Map<String, Callable<?>> calls = new LinkedHashMap<>();
        AcquireRequest request = Requests.exclusive(KEY, OWNER, 30_000, HERE, true);
        calls.put("acquire", () -> store.acquire(request));
        calls.put(
                "acquireAll",
                () -> store.acquireAll(List.of(request, Requests.exclusive(OTHER, OWNER, 9, HERE, false))));
        calls.put("keepEntries", () -> store.keepEntries(List.of(Requests.entries(KEY, List.of(OWNER)))));
        calls.put(
                "renew",
                () -> store.renew(List.of(
                        Requests.renewal(LockKey.of("unmasked"), OWNER, 9_000), Requests.renewal(KEY, OWNER, 30_000))));
        calls.put("extend", () -> store.extend(Requests.renewal(KEY, OWNER, 30_000)));
        calls.put("downgrade", () -> store.downgrade(KEY, OWNER, 0));
        calls.put("release", () -> store.release(new ReleaseRequest(KEY, OWNER)));
        calls.put(
                "releaseAll",
                () -> store.releaseAll(List.of(new ReleaseRequest(KEY, OWNER)))
                        .get(0)
                        .await());
        calls.put("leave", () -> {
            store.leave(KEY, OWNER, Duration.ofSeconds(1), 0);
            return "left";
        });
        calls.put("inspect", () -> store.inspect(KEY));
        calls.put("forceRelease", () -> store.forceRelease(KEY, Set.of(LockMode.EXCLUSIVE)));
        calls.put("scan", () -> {
            StoreScan scan = store.openScan(PERSONAL).orElseThrow();
            int steps = 0; // some replies look as if a scan never ended
            while (scan.step() && steps < 3) {
                steps++;
            }
            return scan.isComplete();
        });
        calls.put("recordWaits", () -> {
            store.recordWaits(
                    "client",
                    List.of(new WaitReport(
                            1,
                            false,
                            new NestedWait(
                                    "client",
                                    "web-1",
                                    1,
                                    "main",
                                    KEY,
                                    LockMode.EXCLUSIVE,
                                    Duration.ZERO,
                                    List.of(new NestedWait.HeldLock(OTHER, 5, LockMode.EXCLUSIVE))))));
            return "recorded";
        });
        calls.put("recordedWaits", store::recordedWaits);
        calls.put("warnings", store::warnings);
        return calls;
    }

    private static String text(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }

    private static String outcome(Callable<?> call) {
        try {
            return String.valueOf(call.call());
        } catch (Exception e) {
            return text(e);
        }
    }

    private Stream<String> logged() {
        return captured.events().stream().map(MaskedRepliesTest::text);
    }

    private static String text(ILoggingEvent event) {
        return event.getFormattedMessage()
                + (event.getThrowableProxy() == null ? "" : ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }

    private void assertMasked(Map<String, Callable<?>> calls) {
        calls.forEach((name, call) -> assertThat(outcome(call)).as(name).doesNotContain("anna", "example"));
        assertThat(logged()).allSatisfy(line -> assertThat(line).doesNotContain("anna", "example"));
    }

    static List<String> replies() {
        return List.of(
                "-ERR unknown command `EVALSHA`, with args beginning with: `e0`, `1`, `holdfast:{anna@exam",
                "-ERR \"anna@example.com\" is bad",
                "-anna@example.com: no such key",
                "-ERR Error running script (call to f_1): @user_script:40: LAYOUT 2 of lock holdfast:{anna@example.com}",
                "-NOPERM this user has no permissions to access the key holdfast:{anna@example.com}",
                "-NOSCRIPT anna@example.com",
                "-READONLY You can't write to anna@example.com",
                "-MOVED 5 anna.example.com:1",
                "+anna@example.com",
                "$32\r\n1 holdfast:{anna@example.com}: b",
                "$23\r\n7\nERROR anna@exam no\n7\n");
    }

    @ParameterizedTest
    @MethodSource("replies")
    void reply_that_quotes_the_key(String reply) {
        FaultProxy proxy = new FaultProxy(TestRedis.shared().port());
        RedisLockStore store = storeAt(proxy.port(), TestRedis.PATIENT);
        open.add(proxy);
        proxy.answer(reply);

        assertMasked(calls(store));
    }

    /** As during a rolling upgrade to a later layout, and after another application has written there. */
    @ParameterizedTest
    @ValueSource(strings = {"2/anything", "anna@example.com", "1 0 0 0 0 0 0 . anna@example.com"})
    void lock_that_cannot_be_read(String crowd) {
        try (RedisServerProcess server = RedisServerProcess.start();
                Jedis redis = TestRedis.administrator(server.port())) {
            RedisLockStore store = storeAt(server.port(), TestRedis.PATIENT);
            for (LockKey each : List.of(KEY, OTHER)) {
                redis.hset("holdfast:{" + each.value() + "}", Map.of("crowd", crowd, "token", "5"));
            }

            Map<String, Callable<?>> calls = calls(store);
            assertThat(outcome(calls.get("renew"))).contains("LAYOUT");
            assertThat(outcome(calls.get("acquire"))).contains("LAYOUT");
            assertMasked(calls);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"EVALSHA", "HMGET", "PUBLISH"})
    void server_without_a_command(String disabled) {
        try (RedisServerProcess server = RedisServerProcess.start("--rename-command", disabled, "")) {
            RedisConnectionFactory connections = driver.connect(server.port());
            RedisLockStore store = new RedisLockStore(connections, TestRedis.PATIENT);
            open.add(store);
            open.add(() -> TestRedis.destroy(connections));

            assertMasked(calls(store));
        }
    }

    /** The whole client: waiters, renewals, the loss, and all events. */
    @ParameterizedTest
    @ValueSource(strings = {"-ERR holdfast:{anna@example.com}", "2/anything"})
    void client_that_masks_keys(String failing) throws Exception {
        RunningTime.withoutPause(() -> maskKeys(failing)); // a stall may end the lease before a renewal fails
    }

    private void maskKeys(String failing) {
        FaultProxy proxy = new FaultProxy(TestRedis.shared().port());
        RedisLockStore store =
                storeAt(proxy.port(), RedisLockSettings.STANDARD.withCommandTimeout(Duration.ofSeconds(5)));
        open.add(proxy);
        List<LockEvent> events = new CopyOnWriteArrayList<>();
        String name = "holdfast:{" + PERSONAL + "}";
        try (Jedis redis = TestRedis.administrator(TestRedis.shared().port());
                LockEngine locks = LockEngine.builder(store)
                        .maskKeys(true)
                        .listener(events::add)
                        .build()) {
            LockHandle held = locks.acquire(LockRequest.of(PERSONAL).lease(Duration.ofSeconds(2)));
            if (failing.startsWith("-")) {
                proxy.answer(failing);
            } else {
                redis.hset(name, "crowd", failing);
            }

            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !held.isHeld());
            String thrown = outcome(() -> {
                        held.close();
                        return "closed";
                    })
                    + outcome(() -> locks.acquire(LockRequest.of(PERSONAL).waitFor(Duration.ZERO)));
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> has(events, LockEvent.Failed.class)
                            && has(events, LockEvent.Lost.class)
                            && has(events, LockEvent.RenewalFailed.class));

            assertThat(thrown).contains("LockStoreException").doesNotContain("anna", "example");
            assertThat(events)
                    .allSatisfy(event -> assertThat(event + outcomeOf(event)).doesNotContain("anna", "example"));
            assertThat(logged()).allSatisfy(line -> assertThat(line).doesNotContain("anna", "example"));
        } finally {
            proxy.answer(null);
            try (Jedis redis = TestRedis.administrator(TestRedis.shared().port())) {
                redis.del(name);
            }
        }
    }

    private static boolean has(List<LockEvent> events, Class<?> type) {
        return events.stream().anyMatch(type::isInstance);
    }

    private static String outcomeOf(LockEvent event) {
        Throwable failure = event instanceof LockEvent.Failed failed
                ? failed.failure()
                : event instanceof LockEvent.RenewalFailed renewal
                        ? renewal.failure()
                        : event instanceof LockEvent.Lost lost ? lost.failure() : null;
        return failure == null ? "" : text(failure);
    }
}
