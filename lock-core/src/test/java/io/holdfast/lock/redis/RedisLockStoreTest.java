package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.driver.LuaScript;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.DataRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.scan.StoreScan;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.TestRedis;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.clients.jedis.Jedis;

/** What is Redis' own about the store: layout, time-outs, what the server says when it is unwell. */
@ParameterizedClass
@EnumSource(TestRedis.Client.class)
class RedisLockStoreTest {

    private static final HolderInfo HERE = new HolderInfo("web-1", 1, "main");
    private static final LockKey KEY = LockKey.of("order:42");
    private static final String NAME = "holdfast:{order:42}";
    private static final Duration HOUR = Duration.ofHours(1);

    @Parameter
    private TestRedis.Client client;

    private RedisServerProcess server;
    private Jedis redis;
    private RedisLockStore store;
    private int sequence;

    @BeforeEach
    void open() {
        server = RedisServerProcess.start();
        redis = new Jedis("127.0.0.1", server.port(), 5000);
        store = new RedisLockStore(client.connect(server.port()), TestRedis.PATIENT);
    }

    @AfterEach
    void close() {
        store.close();
        redis.close();
        server.close();
    }

    private OwnerId newOwner() {
        return new OwnerId("client", ++sequence);
    }

    private AcquireReply acquire(OwnerId owner, Duration lease) {
        return store.acquire(Requests.exclusive(KEY, owner, lease.toMillis(), HERE, true));
    }

    private OwnerId acquired(Duration lease) {
        OwnerId owner = newOwner();
        assertThat(acquire(owner, lease)).isInstanceOf(AcquireReply.Granted.class);
        return owner;
    }

    private RenewReply renew(LockKey key, OwnerId owner) {
        return store.renew(List.of(Requests.renewal(key, owner, 30_000))).get(0);
    }

    private void assertTimeToLive(Duration expected) {
        assertThat(redis.pttl(NAME)).isBetween(expected.toMillis() - 5_000, expected.toMillis() + 1);
    }

    @Test
    void one_lock_is_one_hash() {
        OwnerId owner = acquired(Duration.ofSeconds(30));

        assertThat(redis.keys("*")).containsExactly(NAME);
        assertThat(redis.hgetAll(NAME))
                .containsEntry("owner", owner.toString())
                .containsEntry("holder", "web-1\n1\nmain")
                .containsOnlyKeys("owner", "holder", "lease_end", "token");
    }

    @Test
    void token_is_written_with_all_its_digits() {
        AcquireReply.Granted granted = (AcquireReply.Granted) acquire(newOwner(), Duration.ofSeconds(30));

        assertThat(granted.token()).isGreaterThan(1_700_000_000_000_000L);
        assertThat(redis.hget(NAME, "token")).isEqualTo(String.valueOf(granted.token()));
    }

    @Test
    void token_is_the_successor_of_the_last_one_when_the_clock_is_behind_it() {
        redis.hset(NAME, "token", "9000000000000000");

        assertThat(acquire(newOwner(), Duration.ofSeconds(30)))
                .isEqualTo(new AcquireReply.Granted(9_000_000_000_000_001L, 1, Waiters.NONE, false));
    }

    @Test
    void tokens_grow_through_data_loss() {
        AcquireReply.Granted before = (AcquireReply.Granted) acquire(newOwner(), Duration.ofSeconds(30));
        redis.flushAll();

        AcquireReply.Granted after = (AcquireReply.Granted) acquire(newOwner(), Duration.ofSeconds(30));

        assertThat(after.token()).isGreaterThan(before.token());
    }

    @Test
    void lease_is_counted_in_microseconds_from_the_arrival_of_the_command() {
        for (int i = 0; i < 100; i++) {
            List<String> before = redis.time();
            OwnerId owner = acquired(Duration.ofMillis(100));
            long leaseEnd = Long.parseLong(redis.hget(NAME, "lease_end"));
            store.release(new ReleaseRequest(KEY, owner));

            long micros = Long.parseLong(before.get(0)) * 1_000_000 + Long.parseLong(before.get(1));
            assertThat(leaseEnd).isGreaterThanOrEqualTo(micros + 100_000);
        }
    }

    @Test
    void held_key_lives_for_its_lease_and_the_retention_of_its_token() {
        acquired(Duration.ofSeconds(30));

        assertTimeToLive(Duration.ofSeconds(630));
    }

    @Test
    void key_that_is_held_by_readers_lives_for_their_lease_and_the_retention_of_its_token() {
        shared(Duration.ofSeconds(30));

        assertTimeToLive(Duration.ofSeconds(630));
    }

    private OwnerId shared(Duration lease) {
        OwnerId owner = newOwner();
        var reader =
                new AcquireRequest(KEY, owner, lease.toMillis(), HERE, Integer.MAX_VALUE, 1, false, false, 1, 0, false);
        assertThat(store.acquire(reader)).isInstanceOf(AcquireReply.Granted.class);
        return owner;
    }

    @Test
    void renewal_of_a_reader_gives_the_key_as_much_longer() {
        OwnerId reader = shared(Duration.ofSeconds(10));

        assertThat(renew(KEY, reader)).isInstanceOf(RenewReply.Renewed.class);

        assertTimeToLive(Duration.ofSeconds(630));
    }

    @Test
    void key_lives_for_the_longest_lease_of_its_readers() {
        shared(Duration.ofSeconds(30));
        shared(Duration.ofMillis(100));

        assertTimeToLive(Duration.ofSeconds(630));
    }

    @Test
    void renewal_gives_the_key_as_much_longer() {
        OwnerId owner = acquired(Duration.ofSeconds(10));

        assertThat(renew(KEY, owner)).isInstanceOf(RenewReply.Renewed.class);

        assertTimeToLive(Duration.ofSeconds(630));
    }

    @Test
    void readers_whose_leases_have_ended_leave_nothing_behind() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            shared(Duration.ofMillis(100));
        }
        Thread.sleep(150);

        OwnerId reader = shared(Duration.ofSeconds(30));

        assertThat(redis.hkeys(NAME))
                .filteredOn(field -> field.startsWith("shared:"))
                .containsExactly("shared:" + reader);
    }

    @Test
    void readers_that_are_released_by_force_leave_nothing_behind() {
        shared(Duration.ofSeconds(30));
        shared(Duration.ofSeconds(30));

        store.forceRelease(KEY);

        assertThat(redis.hkeys(NAME))
                .noneMatch(field -> field.startsWith("shared:"))
                .doesNotContain("crowd");
    }

    @Test
    void released_key_keeps_its_token_for_the_retention() {
        store.release(new ReleaseRequest(KEY, acquired(Duration.ofSeconds(30))));

        assertThat(redis.hkeys(NAME)).contains("token").doesNotContain("owner", "crowd");
        assertTimeToLive(Duration.ofMinutes(10));
    }

    @Test
    void release_after_a_lease_that_is_short_beside_the_retention_leaves_the_time_to_live_alone() {
        OwnerId owner = acquired(Duration.ofSeconds(30));

        store.release(new ReleaseRequest(KEY, owner, Duration.ZERO, 0, 30_000, AcquireRequest.EXCLUSIVE));

        assertThat(redis.hkeys(NAME)).doesNotContain("owner");
        assertTimeToLive(Duration.ofSeconds(630));
    }

    @Test
    void release_after_a_long_lease_shortens_the_time_to_live_to_the_retention() {
        OwnerId owner = acquired(Duration.ofDays(1));

        store.release(new ReleaseRequest(
                KEY, owner, Duration.ZERO, 0, Duration.ofDays(1).toMillis(), AcquireRequest.EXCLUSIVE));

        assertThat(redis.hkeys(NAME)).doesNotContain("owner");
        assertTimeToLive(Duration.ofMinutes(10));
    }

    @Test
    void key_lives_at_least_as_long_as_its_longest_cancellation() {
        store.leave(KEY, newOwner(), Duration.ofHours(5), ReleaseRequest.ALL_TOKENS);

        OwnerId owner = acquired(Duration.ofSeconds(1));
        renew(KEY, owner);
        store.release(new ReleaseRequest(KEY, owner));

        assertTimeToLive(Duration.ofHours(5).plusMinutes(10));
    }

    @Test
    void downgrade_gives_the_key_a_time_to_live() {
        OwnerId owner = acquired(Duration.ofSeconds(30));
        redis.persist(NAME);

        assertThat(store.downgrade(KEY, owner, ReleaseRequest.ALL_TOKENS)).isEqualTo(ReleaseReply.RELEASED);

        assertTimeToLive(Duration.ofSeconds(630));
    }

    @Test
    void cancellation_of_an_unknown_lock_goes_away_with_its_key() {
        store.leave(KEY, newOwner(), Duration.ofSeconds(30), ReleaseRequest.ALL_TOKENS);

        assertTimeToLive(Duration.ofSeconds(630));
    }

    @Test
    void expired_cancellations_are_dropped() {
        for (int i = 0; i < 50; i++) {
            store.leave(KEY, newOwner(), Duration.ofSeconds(30), ReleaseRequest.ALL_TOKENS);
        }
        redis.hkeys(NAME).stream()
                .filter(field -> field.contains("grave"))
                .forEach(field -> redis.hset(NAME, field, "1"));
        redis.hset(NAME, "crowd", "1 0 0 0 0 0 1 .");

        acquired(Duration.ofSeconds(30));

        assertThat(redis.hkeys(NAME))
                .noneMatch(field -> field.contains("grave"))
                .doesNotContain("crowd");
    }

    /** Also while others, which have not expired, keep the lock from being cleared of them all. */
    @Test
    void expired_cancellations_are_dropped_by_the_next_one() {
        for (int i = 0; i < 50; i++) {
            store.leave(KEY, newOwner(), Duration.ofSeconds(30), ReleaseRequest.ALL_TOKENS);
        }
        redis.hkeys(NAME).stream()
                .filter(field -> field.contains("grave"))
                .forEach(field -> redis.hset(NAME, field, "1"));
        redis.hset(NAME, "prune_at", "1");

        store.leave(KEY, newOwner(), Duration.ofSeconds(30), ReleaseRequest.ALL_TOKENS);

        assertThat(redis.hkeys(NAME))
                .filteredOn(field -> field.contains("grave"))
                .hasSize(1);
    }

    @Test
    void queue_leaves_nothing_behind_once_it_is_empty() {
        OwnerId holder = acquired(Duration.ofSeconds(30));
        List<OwnerId> waiters = List.of(newOwner(), newOwner(), newOwner());
        waiters.forEach(waiter -> acquire(waiter, Duration.ofSeconds(30)));

        store.release(new ReleaseRequest(KEY, holder));
        for (OwnerId waiter : waiters) {
            assertThat(acquire(waiter, Duration.ofSeconds(30))).isInstanceOf(AcquireReply.Granted.class);
            store.release(new ReleaseRequest(KEY, waiter));
        }

        assertThat(redis.hkeys(NAME)).containsExactlyInAnyOrder("token", "lease_end", "holder");
    }

    @Test
    void entries_that_were_given_up_are_not_looked_at_one_by_one() {
        OwnerId holder = acquired(Duration.ofSeconds(30));
        List<OwnerId> impatient = Stream.generate(this::newOwner).limit(500).toList();
        List<OwnerId> waiting = Stream.generate(this::newOwner).limit(9).toList();
        OwnerId patient = waiting.get(0);
        OwnerId next = waiting.get(1);
        acquire(patient, Duration.ofSeconds(30));
        keptAlive(List.of(patient), impatient, waiter -> acquire(waiter, Duration.ofSeconds(30)));
        waiting.forEach(waiter -> acquire(waiter, Duration.ofSeconds(30)));
        keptAlive(waiting, impatient, waiter -> store.leave(KEY, waiter, Duration.ZERO, ReleaseRequest.ALL_TOKENS));

        assertThat(fieldsReadBy(() -> assertThat(store.inspect(KEY).waiters()).isEqualTo(9)))
                .isLessThan(20);
        assertThat(fieldsReadBy(() -> {
                    store.leave(KEY, patient, Duration.ZERO, ReleaseRequest.ALL_TOKENS);
                    store.release(new ReleaseRequest(KEY, holder));
                }))
                .isBetween(100, 150);
        assertThat(acquire(next, Duration.ofSeconds(30))).isInstanceOf(AcquireReply.Granted.class);
    }

    /** Many calls take longer than entries live. */
    private void keptAlive(List<OwnerId> waiting, List<OwnerId> others, Consumer<OwnerId> call) {
        for (int i = 0; i < others.size(); i++) {
            call.accept(others.get(i));
            if (i % 20 == 0) {
                store.keepEntries(List.of(Requests.entries(KEY, waiting)));
            }
        }
    }

    /** Two are looked at for each new one, in turn. */
    @Test
    void entries_that_died_behind_a_living_one_are_dropped_while_others_come() {
        acquired(Duration.ofSeconds(30));
        acquire(newOwner(), Duration.ofSeconds(30));
        Stream.generate(this::newOwner).limit(20).forEach(waiter -> acquire(waiter, Duration.ofSeconds(30)));
        Set<String> dead = tickets();
        dead.remove("ticket:1");
        dead.forEach(ticket -> redis.hset(NAME, ticket, redis.hget(NAME, ticket).replaceFirst(" \\d{16} ", " 1 ")));

        Stream.generate(this::newOwner).limit(22).forEach(waiter -> acquire(waiter, Duration.ofSeconds(30)));

        assertThat(tickets()).contains("ticket:1").hasSize(23).doesNotContainAnyElementsOf(dead);
    }

    private Set<String> tickets() {
        return redis.hkeys(NAME).stream()
                .filter(field -> field.startsWith("ticket:"))
                .collect(Collectors.toCollection(HashSet::new));
    }

    private int fieldsReadBy(Runnable calls) {
        int before = calls("hget");
        calls.run();
        return calls("hget") - before;
    }

    private int calls(String command) {
        Matcher calls = Pattern.compile("cmdstat_" + command + ":calls=(\\d+)").matcher(redis.info("commandstats"));
        return calls.find() ? Integer.parseInt(calls.group(1)) : 0;
    }

    /** A call for each script. */
    private Map<LuaScript, Runnable> calls() {
        OwnerId owner = newOwner();
        AcquireRequest request =
                new AcquireRequest(KEY, owner, 30_000, HERE, AcquireRequest.EXCLUSIVE, 1, false, true, 1, 0, false);
        ReleaseRequest release = new ReleaseRequest(KEY, owner);
        RenewRequest renewal = Requests.renewal(KEY, owner, 30_000);
        List<EntryRequest> entries = List.of(Requests.entries(KEY, List.of(owner)));
        Map<LuaScript, Runnable> calls = new EnumMap<>(LuaScript.class);
        calls.put(LuaScript.ACQUIRE, () -> store.acquire(request));
        calls.put(LuaScript.ACQUIRE_ALL, () -> store.acquireAll(List.of(request)));
        calls.put(LuaScript.RENEW, () -> store.renew(List.of(renewal)));
        calls.put(LuaScript.RELEASE, () -> store.release(release));
        calls.put(
                LuaScript.RELEASE_ALL,
                () -> store.releaseAll(List.of(release)).get(0).await());
        calls.put(LuaScript.DOWNGRADE, () -> store.downgrade(KEY, owner, ReleaseRequest.ALL_TOKENS));
        calls.put(LuaScript.LEAVE, () -> store.leave(KEY, owner, Duration.ZERO, ReleaseRequest.ALL_TOKENS));
        calls.put(LuaScript.INSPECT, () -> store.inspect(KEY));
        calls.put(LuaScript.FORCE_RELEASE, () -> store.forceRelease(KEY));
        calls.put(LuaScript.WAITS, () -> store.recordedWaits());
        calls.put(LuaScript.EVICTION_POLICY, () -> store.evictionPolicies());
        calls.put(LuaScript.RECORD_WAITS, () -> store.recordWaits("client", List.of()));
        calls.put(LuaScript.KEEP_ENTRIES, () -> store.keepEntries(entries));
        calls.put(LuaScript.DATA, () -> store.data(DataRequest.read(KEY)));
        return calls;
    }

    @Test
    void script_that_the_server_forgot_is_sent_by_its_text_once_and_by_its_digest_from_then_on() {
        store.keepEntries(List.of(Requests.entries(KEY, List.of(newOwner())))); // asks once whether scripts may publish
        calls().forEach((script, call) -> {
            redis.scriptFlush();
            redis.configResetStat();
            call.run();
            assertThat(calls("eval")).as("%s by its text", script).isEqualTo(1);
            call.run();
            assertThat(calls("eval")).as("%s by its text, again", script).isEqualTo(1);
            assertThat(calls("evalsha")).as("%s by its digest", script).isEqualTo(2);
        });
    }

    /** Those that are not sent alone, or not each time. */
    @Test
    void scripts_of_a_scan_and_of_checks_are_sent_by_their_texts_when_the_server_forgot_them() {
        acquired(Duration.ofSeconds(30));
        redis.scriptFlush();
        StoreScan scan = store.openScan("").orElseThrow();
        while (scan.step()) {
            redis.scriptFlush();
        }
        assertThat(scan.found()).hasSize(1);

        redis.scriptFlush();
        store.keepEntries(List.of(Requests.entries(KEY, List.of(newOwner()))));
        assertThat(store.warnings()).isEmpty();

        redis.scriptFlush();
        try (RedisLockStore rejoining =
                new RedisLockStore(client.connect(server.port()), TestRedis.PATIENT.withRejoinDelay(HOUR))) {
            assertThatThrownBy(() ->
                            rejoining.acquire(Requests.exclusive(LockKey.of("new"), newOwner(), 30_000, HERE, true)))
                    .hasMessageContaining("restarted recently");
        }

        Set<LuaScript> known = EnumSet.allOf(LuaScript.class);
        known.removeIf(
                script -> !redis.scriptExists(new String(LuaSources.get(script, "sha"), StandardCharsets.US_ASCII)));
        assertThat(known).containsExactlyInAnyOrder(LuaScript.ACQUIRE, LuaScript.JOIN);
        assertThat(EnumSet.complementOf(EnumSet.copyOf(calls().keySet())))
                .as("the scripts of this test")
                .containsExactlyInAnyOrder(LuaScript.SCAN, LuaScript.INSPECT_ALL, LuaScript.PUBLISH, LuaScript.JOIN);
    }

    @Test
    void batch_that_the_server_refuses_fails_as_a_whole() {
        OwnerId owner = acquired(Duration.ofSeconds(30));
        redis.aclSetUser("default", "-evalsha", "-eval");

        assertThatThrownBy(() -> renew(KEY, owner))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("NOPERM");
        assertThatThrownBy(() -> store.keepEntries(List.of(Requests.entries(KEY, List.of(owner)))))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("NOPERM");
    }

    @Test
    void broken_and_foreign_keys_fail_alone_in_a_batch() {
        OwnerId owner = acquired(Duration.ofSeconds(30));
        redis.set("holdfast:{foreign}", "a string");
        redis.hset("holdfast:{broken}", Map.of("owner", owner.toString(), "lease_end", "soon"));

        List<RenewReply> replies = store.renew(List.of(
                Requests.renewal(LockKey.of("foreign"), owner, 30_000),
                Requests.renewal(LockKey.of("broken"), owner, 30_000),
                Requests.renewal(KEY, owner, 30_000)));

        assertThat(replies.get(0))
                .isInstanceOfSatisfying(
                        RenewReply.Failed.class,
                        failed -> assertThat(failed.reason()).contains("WRONGTYPE"));
        assertThat(replies.get(1)).isInstanceOf(RenewReply.Failed.class);
        assertThat(replies.get(2)).isInstanceOf(RenewReply.Renewed.class);
    }

    private List<AcquireRequest> together(String... keys) {
        return Stream.of(keys)
                .map(key -> Requests.exclusive(LockKey.of(key), newOwner(), 30_000, HERE, false))
                .toList();
    }

    @Test
    void locks_of_one_call_are_not_granted_if_one_of_them_is_broken() {
        redis.hset("holdfast:{broken}", Map.of("owner", "x", "lease_end", "soon"));
        redis.set("holdfast:{foreign}", "a string");

        assertThat(store.acquireAll(together("a", "broken"))).isInstanceOf(AcquireAllReply.OneByOne.class);
        assertThat(store.acquireAll(together("a", "foreign"))).isInstanceOf(AcquireAllReply.OneByOne.class);

        assertThat(redis.exists("holdfast:{a}")).isFalse();
        assertThat(store.acquireAll(together("a", "b"))).isInstanceOf(AcquireAllReply.Granted.class);
    }

    /** Its cancellations are looked at when it is written. */
    @Test
    void lock_that_breaks_after_others_were_granted_leaves_the_outcome_unknown() {
        redis.hset("holdfast:{b}", Map.of("crowd", "1 0 0 0 0 0 1 .", "grave:x:1", "soon"));

        assertThatThrownBy(() -> store.acquireAll(together("a", "b")))
                .isInstanceOfSatisfying(
                        LockStoreException.class,
                        e -> assertThat(e.outcomeUnknown()).isTrue());
    }

    @Test
    void broken_and_foreign_keys_fail_alone_when_many_are_released() {
        OwnerId owner = acquired(Duration.ofSeconds(30));
        redis.set("holdfast:{foreign}", "a string");

        var replies = store.releaseAll(
                List.of(new ReleaseRequest(LockKey.of("foreign"), owner), new ReleaseRequest(KEY, owner)));

        assertThatThrownBy(replies.get(0)::await)
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("'foreign'")
                .hasMessageContaining("WRONGTYPE");
        assertThat(replies.get(1).await()).isEqualTo(ReleaseReply.RELEASED);
    }

    @Test
    void hundred_locks_are_acquired_and_given_back_in_one_script_each() {
        String[] keys = IntStream.range(0, 100).mapToObj(i -> "many:" + i).toArray(String[]::new);
        try (LockEngine locks = LockEngine.builder(store).build()) {
            locks.acquire(LockRequest.ofAll(List.of("warm", "up"))).close();
            int before = calls("evalsha") + calls("eval");

            locks.acquire(LockRequest.ofAll(List.of(keys))).close();

            assertThat(calls("evalsha") + calls("eval") - before).isEqualTo(2);
        }
        assertThat(store.inspect(LockKey.of("many:99")).holders()).isEmpty();
    }

    @Test
    void more_locks_than_one_script_takes_are_asked_for_one_by_one_and_given_back_in_parts() {
        int many = RedisLockStore.MAX_ACQUIRED + 1;
        String[] keys = IntStream.range(0, many).mapToObj(i -> "many:" + i).toArray(String[]::new);
        List<AcquireRequest> requests = together(keys);
        assertThat(store.acquireAll(requests)).isInstanceOf(AcquireAllReply.OneByOne.class);
        store.acquireAll(requests.subList(0, many - 1));

        var replies = store.releaseAll(requests.stream()
                .map(request -> new ReleaseRequest(request.key(), request.owner()))
                .toList());

        assertThat(replies).hasSize(many);
        assertThat(replies.subList(0, many - 1)).allMatch(reply -> reply.await() == ReleaseReply.RELEASED);
        assertThat(replies.get(many - 1).await())
                .isEqualTo(
                        client == TestRedis.Client.JEDIS
                                ? ReleaseReply.NOT_HOLDER
                                : ReleaseReply.GONE); // Lettuce may have sent it before
    }

    @Test
    void foreign_key_is_an_error_that_says_so() {
        redis.set(NAME, "a string");

        assertThatThrownBy(() -> acquire(newOwner(), Duration.ofSeconds(30)))
                .isInstanceOfSatisfying(LockStoreException.class, e -> {
                    assertThat(e).hasMessageContaining("WRONGTYPE").hasMessageContaining("key prefix");
                    assertThat(e.outcomeUnknown()).isFalse();
                });
    }

    @Test
    void more_renewals_than_fit_in_one_call_are_all_answered() {
        OwnerId owner = acquired(Duration.ofSeconds(30));
        List<RenewRequest> requests = new java.util.ArrayList<>();
        for (int i = 0; i < 1201; i++) {
            requests.add(Requests.renewal(i % 400 == 0 ? KEY : LockKey.of("none:" + i), owner, 30_000));
        }

        List<RenewReply> replies = store.renew(requests);

        assertThat(replies).hasSize(1201);
        for (int i = 0; i < 1201; i++) {
            assertThat(replies.get(i) instanceof RenewReply.Renewed).isEqualTo(i % 400 == 0);
        }
    }

    @Test
    void more_entries_than_fit_in_one_call_are_all_answered() {
        acquired(Duration.ofSeconds(30));
        OwnerId waiter = newOwner();
        acquire(waiter, Duration.ofSeconds(30));
        List<OwnerId> unknown = Stream.generate(this::newOwner).limit(1200).toList();
        List<OwnerId> longRow = new ArrayList<>(unknown);
        longRow.add(waiter);
        LockKey another = LockKey.of("another");
        store.keepEntries(List.of(Requests.entries(another, List.of(waiter)))); // asks once whether scripts may publish
        int before = calls("evalsha");

        List<EntryReply> replies = store.keepEntries(List.of(
                Requests.entries(KEY, longRow.subList(0, 600)),
                Requests.entries(KEY, longRow.subList(600, 1200)),
                Requests.entries(KEY, longRow.subList(1200, 1201)),
                Requests.entries(another, List.of(waiter))));

        assertThat(replies)
                .extracting(reply -> ((EntryReply.Kept) reply).called())
                .containsExactly(unknown.subList(0, 600), unknown.subList(600, 1200), List.of(), List.of(waiter));
        assertThat(calls("evalsha") - before).isEqualTo(3);
        assertThat(((EntryReply.Kept) replies.get(0)).blockedFor()).isPositive();
    }

    @Test
    void release_and_renewal_work_when_redis_is_out_of_memory() {
        OwnerId owner = acquired(Duration.ofSeconds(30));
        redis.configSet("maxmemory", "1");

        assertThatThrownBy(
                        () -> store.acquire(Requests.exclusive(LockKey.of("another"), newOwner(), 30_000, HERE, false)))
                .isInstanceOfSatisfying(LockStoreException.class, e -> {
                    assertThat(e).hasMessageContaining("OOM").hasMessageContaining("maxmemory");
                    assertThat(e.outcomeUnknown()).isFalse();
                });
        assertThat(renew(KEY, owner)).isInstanceOf(RenewReply.Renewed.class);
        assertThat(store.release(new ReleaseRequest(KEY, owner))).isEqualTo(ReleaseReply.RELEASED);

        redis.configSet("maxmemory", "0");
        acquired(Duration.ofSeconds(30));
    }

    @Test
    void readers_and_waiters_keep_what_they_have_when_redis_is_out_of_memory() {
        OwnerId reader = shared(Duration.ofSeconds(30));
        OwnerId waiter = newOwner();
        assertThat(acquire(waiter, Duration.ofSeconds(30))).isInstanceOf(AcquireReply.Held.class);
        List<EntryRequest> entries = List.of(Requests.entries(KEY, List.of(waiter)));
        LockKey another = LockKey.of("another");
        OwnerId holder = newOwner();
        store.acquire(Requests.exclusive(another, holder, 30_000, HERE, true));
        redis.configSet("maxmemory", "1");

        assertThat(renew(KEY, reader)).isInstanceOf(RenewReply.Renewed.class);
        assertThat(store.keepEntries(entries)).hasExactlyElementsOfTypes(EntryReply.Kept.class);
        assertThat(store.release(new ReleaseRequest(KEY, reader))).isEqualTo(ReleaseReply.RELEASED);
        assertThat(renew(KEY, waiter)).isInstanceOf(RenewReply.Renewed.class);
        assertThat(store.release(new ReleaseRequest(KEY, waiter))).isEqualTo(ReleaseReply.RELEASED);
        assertThat(store.release(new ReleaseRequest(
                        another,
                        holder,
                        HOUR,
                        ReleaseRequest.ALL_TOKENS,
                        ReleaseRequest.UNKNOWN_LEASE,
                        AcquireRequest.EXCLUSIVE)))
                .isEqualTo(ReleaseReply.RELEASED);
        store.leave(KEY, newOwner(), HOUR, ReleaseRequest.ALL_TOKENS);

        redis.configSet("maxmemory", "0");
        acquired(Duration.ofSeconds(30));
    }

    @Test
    void replica_is_an_error_that_says_what_to_check() {
        redis.replicaof("127.0.0.1", 1);

        assertThatThrownBy(() -> acquire(newOwner(), Duration.ofSeconds(30)))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("READONLY")
                .hasMessageContaining("replica");

        redis.replicaofNoOne();
        acquired(Duration.ofSeconds(30));
    }

    @Test
    void missing_permission_is_an_error_that_says_what_to_check() {
        redis.aclSetUser("default", "-evalsha");

        assertThatThrownBy(() -> acquire(newOwner(), Duration.ofSeconds(30)))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("NOPERM")
                .hasMessageContaining("ACL");

        redis.aclSetUser("default", "+evalsha");
        acquired(Duration.ofSeconds(30));
    }

    @Test
    void restarted_empty_server_is_used_again_at_the_first_call() {
        useShorterTimeout();
        for (int i = 0; i < 3; i++) {
            store.release(new ReleaseRequest(KEY, acquired(Duration.ofSeconds(30))));
        }
        AcquireReply.Granted before = (AcquireReply.Granted) acquire(newOwner(), Duration.ofSeconds(30));
        server.kill();
        assertThatThrownBy(() -> acquire(newOwner(), Duration.ofSeconds(30)))
                .isInstanceOfSatisfying(
                        LockStoreException.class,
                        e -> assertThat(e.outcomeUnknown()).isTrue());
        server.startAgain();

        AcquireReply after = acquire(newOwner(), Duration.ofSeconds(30));

        assertThat(((AcquireReply.Granted) after).token()).isGreaterThan(before.token());
    }

    /** Lettuce keeps a call for a server that is down for as long as its timeout, a minute by default. */
    private void useShorterTimeout() {
        if (client == TestRedis.Client.TEMPLATE) {
            store.close();
            LettuceConnectionFactory factory = new LettuceConnectionFactory(
                    new RedisStandaloneConfiguration("127.0.0.1", server.port()),
                    LettuceClientConfiguration.builder()
                            .commandTimeout(Duration.ofSeconds(6))
                            .shutdownQuietPeriod(Duration.ZERO)
                            .build());
            factory.afterPropertiesSet();
            factory.start();
            store = new RedisLockStore(TestRedis.hide(factory), TestRedis.PATIENT);
        }
    }
}
