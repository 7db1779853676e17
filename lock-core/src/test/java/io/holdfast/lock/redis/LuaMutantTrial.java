package io.holdfast.lock.redis;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectIteration;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUniqueId;

import io.holdfast.lock.redis.driver.LuaScript;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** Has the tests of the contract judge one mutant after the other, on one server. */
final class LuaMutantTrial {

    private static final int REMEMBERED = 8;
    private static final int SERVER_TIMEOUT_MILLIS = 10_000;

    /** A hint that a mutant has lost never comes. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Launcher launcher;
    private final LuaSources sources;

    /** What killed the last mutants of a file is tried first. */
    private final Map<String, Deque<String>> killers = new HashMap<>();

    LuaMutantTrial(LuaSources sources) {
        this.sources = sources;
        this.launcher = LauncherFactory.openSession().getLauncher();
        Awaitility.setDefaultTimeout(PATIENCE);
    }

    /** The name of the first test that fails; none if all pass. */
    Optional<String> failing() {
        sources.install();
        return firstFailure("acquire", selected("acquire"));
    }

    LuaMutantResult judge(LuaMutant mutant) {
        sources.install(mutant);
        try {
            if (!isLua()) {
                return LuaMutantResult.NO_LUA;
            }
            Deque<String> likely = killers.computeIfAbsent(mutant.file(), file -> new ArrayDeque<>());
            List<DiscoverySelector> first = likely.stream()
                    .<DiscoverySelector>map(id -> selectUniqueId(id))
                    .toList();
            Optional<String> killer = first.isEmpty() ? Optional.empty() : firstFailure(mutant.file(), first);
            if (killer.isEmpty()) {
                killer = firstFailure(mutant.file(), selected(mutant.file()));
            }
            return killer.isPresent() ? LuaMutantResult.KILLED : LuaMutantResult.SURVIVED;
        } finally {
            sources.install();
        }
    }

    /** The contract, and what is Redis' own, with one driver. Who joins a quorum is none of the contract's business, and has tests that take longer. */
    private static List<DiscoverySelector> selected(String file) {
        DiscoverySelector rejoining = selectClass(RejoiningTest.class);
        if (file.equals("join")) {
            return List.of(rejoining);
        }
        DiscoverySelector contract =
                selectNestedClass(List.of(StandaloneContractTest.class), StandaloneContractTest.OnJedis.class);
        DiscoverySelector layout = selectClass(LayoutTest.class);
        DiscoverySelector ownOfRedis = selectIteration(selectClass(RedisLockStoreTest.class), 0);
        DiscoverySelector lifetimes = selectClass(KeyLifetimeTest.class);
        DiscoverySelector damaged = selectClass(DamagedLocksTest.class);
        return switch (file) {
            case "acquire" -> List.of(layout, contract, ownOfRedis, lifetimes, rejoining);
            case "describe", "inspect", "force_release" -> List.of(layout, contract, ownOfRedis, lifetimes, damaged);
            case "publish" -> List.of(selectClass(RedisPermissionsTest.class));
            case "waits", "record_waits" -> List.of(selectClass(WaitsRecordTest.class), contract);
            default -> List.of(layout, contract, ownOfRedis, lifetimes);
        };
    }

    private static boolean isLua() {
        try (Jedis redis = new Jedis("127.0.0.1", TestRedis.shared().port(), SERVER_TIMEOUT_MILLIS)) {
            for (LuaScript script : LuaScript.values()) {
                redis.scriptLoad(LuaSources.get(script, "text"));
            }
            return true;
        } catch (JedisDataException e) {
            return false;
        }
    }

    /** Whether the server has got out of the last mutant again. */
    static boolean isServerWell() {
        try (Jedis redis = new Jedis("127.0.0.1", TestRedis.shared().port(), SERVER_TIMEOUT_MILLIS)) {
            return "PONG".equals(redis.ping());
        } catch (JedisConnectionException | JedisDataException e) {
            return false;
        }
    }

    private Optional<String> firstFailure(String file, List<DiscoverySelector> tests) {
        FirstFailure failure = new FirstFailure();
        launcher.execute(LauncherExecutionRequestBuilder.request(LauncherDiscoveryRequestBuilder.request()
                        .selectors(tests)
                        .configurationParameter("junit.jupiter.execution.timeout.default", "60 s")
                        .build())
                .listeners(failure)
                .cancellationToken(failure.token)
                .build());
        failure.test.ifPresent(id -> remember(file, id));
        return failure.test;
    }

    private void remember(String file, String test) {
        Deque<String> likely = killers.computeIfAbsent(file, name -> new ArrayDeque<>());
        likely.remove(test);
        likely.addFirst(test);
        if (likely.size() > REMEMBERED) {
            likely.removeLast();
        }
    }

    private static final class FirstFailure implements TestExecutionListener {

        private final CancellationToken token = CancellationToken.create();
        private Optional<String> test = Optional.empty();

        @Override
        public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
            if (result.getStatus() == Status.FAILED && test.isEmpty()) {
                test = Optional.of(identifier.getUniqueId());
                token.cancel();
            }
        }
    }
}
