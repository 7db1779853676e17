package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.driver.LuaScript;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.TestRedis;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisMonitor;

/** Dragonfly, and Redis in a cluster, forbid scripts to use keys that the call does not name; here, the server shows what they use. */
class DeclaredKeysTest {

    /** Time, database, where a command comes from, and the command; scripts call from "lua". */
    private static final Pattern LINE = Pattern.compile("\\S+ \\[\\d+ (\\S+)] (.*)");

    private static final Pattern WORD = Pattern.compile("\"((?:[^\"\\\\]++|\\\\.)*+)\"");
    private static final Set<String> WITHOUT_KEY = Set.of("TIME", "PUBLISH", "SPUBLISH", "INFO", "SCAN");
    private static final String END = "end of the test";

    private final List<String> lines = new CopyOnWriteArrayList<>();

    @Test
    void scripts_use_no_keys_but_those_of_the_call() {
        try (RedisServerProcess server = RedisServerProcess.start();
                Jedis watching = new Jedis("127.0.0.1", server.port(), 0);
                Jedis administrator = TestRedis.administrator(server.port())) {
            Thread watcher = new Thread(() -> watch(watching), "monitor");
            watcher.setDaemon(true);
            watcher.start();
            awaitSeen(administrator, "beginning");
            RedisConnectionFactory application = TestRedis.jedis(server.port());

            ServerTrial.run(application, TestRedis.PATIENT, Duration.ofMinutes(1));
            callTheRest(application);

            awaitSeen(administrator, END);
            TestRedis.destroy(application);
        }

        assertThat(undeclared()).isEmpty();
        assertThat(scripts()).containsAll(EnumSet.complementOf(EnumSet.of(LuaScript.JOIN)));
    }

    private void watch(Jedis watching) {
        try {
            watching.monitor(new JedisMonitor() {
                @Override
                public void onCommand(String line) {
                    lines.add(line);
                }
            });
        } catch (RuntimeException closed) {
            lines.add("closed");
        }
    }

    private void awaitSeen(Jedis administrator, String mark) {
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
            administrator.echo(mark);
            return lines.stream().anyMatch(line -> line.contains(mark));
        });
    }

    private static void callTheRest(RedisConnectionFactory application) {
        OwnerId owner = new OwnerId("alice", 1);
        LockKey key = LockKey.of("downgraded");
        try (RedisLockStore store = new RedisLockStore(application, TestRedis.PATIENT);
                LockEngine locks = LockEngine.builder(store).build()) {
            try (LockHandle several = locks.acquire(LockRequest.ofAll(List.of("a", "b")))) {
                several.extend(Duration.ofSeconds(30));
            }
            try (LockHandle withData = locks.acquire(LockRequest.of("with-data").withData(Duration.ofMinutes(1)))) {
                withData.saveData(new byte[] {1});
                assertThat(withData.data().bytes()).isPresent();
            }
            store.acquire(new AcquireRequest(
                    key,
                    owner,
                    30_000,
                    new HolderInfo("web-1", 1, "main"),
                    AcquireRequest.EXCLUSIVE,
                    1,
                    false,
                    false,
                    10,
                    0,
                    false));
            store.downgrade(key, owner, ReleaseRequest.ALL_TOKENS);
            store.leave(key, owner, Duration.ofSeconds(30), ReleaseRequest.ALL_TOKENS);
            store.recordWaits("alice", List.of());
            assertThat(store.recordedWaits()).isEmpty();
            store.keepEntries(List.of(Requests.entries(key, List.of(owner))));
        }
    }

    /** The command and its arguments, without their quotes. */
    private static List<String> words(Matcher line) {
        return WORD.matcher(line.group(2)).results().map(word -> word.group(1)).toList();
    }

    /** Commands of scripts, with keys that the call before them does not name. */
    private List<String> undeclared() {
        List<String> found = new ArrayList<>();
        List<String> keys = List.of();
        for (Matcher line : commands()) {
            List<String> words = words(line);
            String command = words.get(0).toUpperCase(Locale.ROOT);
            if (command.equals("EVALSHA") || command.equals("EVAL")) {
                keys = words.subList(3, 3 + Integer.parseInt(words.get(2)));
            } else if (line.group(1).equals("lua") && !WITHOUT_KEY.contains(command) && !keys.contains(words.get(1))) {
                found.add(command + ' ' + words.get(1) + " in a call for " + keys);
            }
        }
        return found;
    }

    private List<Matcher> commands() {
        return lines.stream().map(LINE::matcher).filter(Matcher::matches).toList();
    }

    private Set<LuaScript> scripts() {
        Set<String> called = commands().stream()
                .map(DeclaredKeysTest::words)
                .filter(words -> words.get(0).equalsIgnoreCase("EVALSHA"))
                .map(words -> words.get(1))
                .collect(Collectors.toSet());
        return Stream.of(LuaScript.values())
                .filter(script -> called.contains(new String(LuaSources.get(script, "sha"), StandardCharsets.US_ASCII)))
                .collect(Collectors.toSet());
    }
}
