package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.scan.StoreScan;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisTemplate;
import redis.clients.jedis.Jedis;

/** Every command of a lock passes through the template that its store was created from. */
class TemplateDoorTest {

    private static final LockKey KEY = LockKey.of("door:1");
    private static final LockKey OTHER = LockKey.of("door:2");
    private static final OwnerId OWNER = new OwnerId("client", 1);
    private static final HolderInfo HERE = new HolderInfo("here", 1, "test");

    private static final class RefusingTemplate extends RedisTemplate<byte[], byte[]> {

        private boolean refuses;
        private int calls;

        RefusingTemplate(RedisConnectionFactory factory) {
            setConnectionFactory(factory);
            afterPropertiesSet();
        }

        @Override
        public <T extends @Nullable Object> T execute(
                RedisCallback<T> action, boolean exposeConnection, boolean pipeline) {
            calls++;
            if (refuses) {
                throw new QueryTimeoutException("refused by the template"); // which is not repeated
            }
            return super.execute(action, exposeConnection, pipeline);
        }
    }

    private static Map<String, Consumer<RedisLockStore>> operations() {
        Map<String, Consumer<RedisLockStore>> all = new TreeMap<>();
        all.put("acquire", store -> store.acquire(Requests.exclusive(KEY, OWNER, 30_000, HERE, true)));
        all.put(
                "acquireAll",
                store -> store.acquireAll(List.of(
                        Requests.exclusive(KEY, OWNER, 30_000, HERE, true),
                        Requests.exclusive(OTHER, OWNER, 30_000, HERE, true))));
        all.put("renew", store -> store.renew(List.of(Requests.renewal(KEY, OWNER, 30_000))));
        all.put("extend", store -> store.extend(Requests.renewal(KEY, OWNER, 30_000)));
        all.put("keepEntries", store -> store.keepEntries(List.of(Requests.entries(KEY, List.of(OWNER)))));
        all.put("downgrade", store -> store.downgrade(KEY, OWNER, 0));
        all.put("release", store -> store.release(new ReleaseRequest(KEY, OWNER)));
        all.put(
                "releaseAll",
                store -> store.releaseAll(List.of(new ReleaseRequest(KEY, OWNER), new ReleaseRequest(OTHER, OWNER)))
                        .forEach(pending -> pending.await()));
        all.put("leave", store -> store.leave(KEY, OWNER, Duration.ofSeconds(3), 0));
        all.put("inspect", store -> store.inspect(KEY));
        all.put("forceRelease", store -> store.forceRelease(KEY, Set.of(LockMode.EXCLUSIVE)));
        all.put("scan", store -> {
            StoreScan scan = store.openScan("").orElseThrow();
            while (scan.step()) {
                // until all servers are scanned
            }
        });
        all.put("recordWaits", store -> store.recordWaits("client", List.of()));
        all.put("recordedWaits", RedisLockStore::recordedWaits);
        all.put("evictionPolicies", RedisLockStore::evictionPolicies);
        return all;
    }

    /** How often scripts were called. */
    private static long scripts(Jedis redis) {
        return Pattern.compile("cmdstat_(?:eval|evalsha|wait):calls=(\\d+)")
                .matcher(redis.info("commandstats"))
                .results()
                .map(MatchResult::group)
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf('=') + 1)))
                .sum();
    }

    @ParameterizedTest
    @EnumSource
    void no_command_reaches_redis_past_the_template(TestRedis.Client client) {
        try (RedisServerProcess server = RedisServerProcess.start();
                Jedis redis = TestRedis.administrator(server.port())) {
            RedisConnectionFactory applications = client.connect(server.port());
            RefusingTemplate template = new RefusingTemplate(
                    RedisLockStore.template(applications, TestRedis.PATIENT).getRequiredConnectionFactory());
            try (RedisLockStore store = new RedisLockStore(template, TestRedis.PATIENT)) {
                operations().forEach((name, operation) -> {
                    template.refuses = false;
                    int calls = template.calls;
                    long before = scripts(redis);
                    operation.accept(store);
                    assertThat(template.calls).as(name).isGreaterThan(calls);
                    long sent = scripts(redis);
                    assertThat(sent).as(name).isGreaterThan(before);

                    template.refuses = true;
                    Throwable refused = catchThrowable(() -> operation.accept(store));

                    assertThat(scripts(redis)).as("%s, %s", name, refused).isEqualTo(sent);
                });
            } finally {
                TestRedis.destroy(applications);
            }
        }
    }
}
