package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.driver.LuaScript;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.redis.driver.Wire.Acks;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.core.RedisTemplate;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/** What is sent again, and what is known after it has failed. */
class ScriptClientTest {

    private static final RuntimeException BROKEN = new JedisConnectionException("Unexpected end of stream.");
    private static final RuntimeException REFUSED =
            new JedisConnectionException("Failed to connect", new ConnectException("Connection refused"));
    private static final RuntimeException TIMEOUT =
            new JedisConnectionException(new SocketTimeoutException("Read timed out"));
    private static final RuntimeException LOADING = new JedisDataException("LOADING Redis is loading the dataset");
    private static final RuntimeException READONLY = new JedisDataException("READONLY You can't write");
    private static final RuntimeException NOSCRIPT = new JedisNoScriptException("NOSCRIPT No matching script");
    private static final RuntimeException MOVED = new JedisDataException("MOVED 1 127.0.0.1:7001");
    private static final ScriptCall CALL = ScriptCodec.call(LuaScript.RELEASE, false, 1, "key");

    private final Deque<Object> outcomes = new ArrayDeque<>();
    private final List<Long> starts = new ArrayList<>();
    private boolean isPipelined = true;
    private boolean isCluster;
    private boolean isWaitRejected;

    private final Wire wire = (Wire) Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Wire.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "server" -> "Redis at 127.0.0.1:6379";
                case "isPipelined" -> isPipelined;
                case "isCluster" -> isCluster;
                case "send" -> {
                    starts.add(((Wire.Calls) arguments[2]).start());
                    yield (Supplier<List<Object>>) this::next;
                }
                default -> null;
            });
    private final ScriptClient client =
            new ScriptClient(new RedisTemplate<>(), wire, false, Duration.ofMinutes(1), List.of(), () -> {});

    /** An answer of the server, or what breaks the send. */
    private List<Object> next() {
        if (isWaitRejected) {
            return List.of(
                    "RELEASED".getBytes(StandardCharsets.US_ASCII),
                    new JedisDataException("NOPERM this user has no permissions to run the 'wait' command"));
        }
        Object outcome = outcomes.remove();
        if (outcome instanceof RuntimeException e && !(e instanceof JedisDataException)) {
            throw e;
        }
        return List.of(outcome);
    }

    private boolean isOutcomeUnknownAfter(Object... met) {
        outcomes.addAll(Arrays.asList(met));
        LockStoreException failure = catchThrowableOfType(
                LockStoreException.class, () -> client.run(CALL).orThrow());
        assertThat(failure).isNotNull();
        assertThat(outcomes).isEmpty();
        return failure.outcomeUnknown();
    }

    @Test
    void server_that_refuses_the_only_send_has_done_nothing() {
        assertThat(isOutcomeUnknownAfter(LOADING)).isFalse();
        assertThat(isOutcomeUnknownAfter(REFUSED)).isFalse();
    }

    @Test
    void server_that_refuses_a_second_send_may_have_carried_out_the_first() {
        assertThat(isOutcomeUnknownAfter(BROKEN, LOADING)).isTrue();
        assertThat(isOutcomeUnknownAfter(BROKEN, READONLY)).isTrue();
        assertThat(isOutcomeUnknownAfter(BROKEN, REFUSED)).isTrue();
    }

    @Test
    void redirection_of_a_second_send_does_not_make_the_first_known() {
        isCluster = true;

        assertThat(isOutcomeUnknownAfter(BROKEN, MOVED, LOADING)).isTrue();
        assertThat(isOutcomeUnknownAfter(BROKEN, MOVED, TIMEOUT)).isTrue();
        assertThat(isOutcomeUnknownAfter(BROKEN, MOVED, REFUSED, LOADING)).isTrue();
        assertThat(isOutcomeUnknownAfter(BROKEN, REFUSED, REFUSED, LOADING)).isTrue();
        assertThat(isOutcomeUnknownAfter(BROKEN, REFUSED, LOADING)).isTrue();
    }

    @Test
    void redirection_of_the_only_send_has_done_nothing() {
        isCluster = true;

        assertThat(isOutcomeUnknownAfter(MOVED, LOADING)).isFalse();
        assertThat(isOutcomeUnknownAfter(MOVED, REFUSED, LOADING)).isFalse();
        assertThat(isOutcomeUnknownAfter(REFUSED, REFUSED, LOADING)).isFalse();
    }

    @Test
    void redirections_that_lead_nowhere_end() {
        isCluster = true;

        outcomes.addAll(Collections.nCopies(6, MOVED));

        assertThat(client.run(CALL).failure()).hasMessageContaining("MOVED 1");
    }

    @Test
    void redirections_of_a_call_have_one_command_timeout_together() {
        isCluster = true;
        outcomes.addAll(List.of(MOVED, MOVED, MOVED, NOSCRIPT, "RELEASED".getBytes(StandardCharsets.US_ASCII)));

        assertThat(client.run(CALL).orThrow()).isEqualTo("RELEASED");

        assertThat(starts).hasSize(5);
        assertThat(starts.stream().distinct()).hasSize(1);
    }

    @Test
    void script_is_sent_by_its_text_within_the_time_of_the_call() {
        outcomes.addAll(List.of(NOSCRIPT, "RELEASED".getBytes(StandardCharsets.US_ASCII)));

        ScriptClient.Reply reply = client.run(CALL);

        assertThat(reply.orThrow()).isEqualTo("RELEASED");
        assertThat(reply.resent()).isFalse();
        assertThat(starts).hasSize(2);
        assertThat(starts.get(1)).isEqualTo(starts.get(0));
    }

    @Test
    void reply_of_another_node_says_so_and_was_sent_once() {
        isCluster = true;
        outcomes.addAll(List.of(MOVED, "RELEASED".getBytes(StandardCharsets.US_ASCII)));

        ScriptClient.Reply reply = client.run(CALL);

        assertThat(reply.orThrow()).isEqualTo("RELEASED");
        assertThat(reply.moved()).isTrue();
        assertThat(reply.resent()).isFalse();
    }

    @Test
    void scripts_may_have_been_carried_out_if_waiting_for_replicas_is_rejected() {
        isWaitRejected = true;

        LockStoreException failure = catchThrowableOfType(
                LockStoreException.class,
                () -> client.begin(List.of(CALL), new Acks(1, Duration.ofSeconds(1)), ScriptClient.CONNECT_LIMIT)
                        .get());

        assertThat(failure).hasMessageContaining("The Redis user lacks a permission");
        assertThat(failure.outcomeUnknown()).isTrue();
    }

    /** The second one would end the hold of the next owner. */
    @Test
    void forced_release_that_may_have_arrived_is_not_sent_again() {
        ScriptCall forced = ScriptCodec.call(LuaScript.FORCE_RELEASE, false, 1, "key");
        outcomes.addAll(List.of(BROKEN, "RELEASED".getBytes(StandardCharsets.US_ASCII)));

        assertThatThrownBy(() -> client.run(forced))
                .isInstanceOfSatisfying(
                        LockStoreException.class,
                        failure -> assertThat(failure.outcomeUnknown()).isTrue());

        assertThat(starts).hasSize(1);
    }

    @Test
    void forced_release_that_reached_no_server_is_sent_again() {
        isCluster = true;
        ScriptCall forced = ScriptCodec.call(LuaScript.FORCE_RELEASE, false, 1, "key");
        outcomes.addAll(List.of(REFUSED, MOVED, NOSCRIPT, "RELEASED".getBytes(StandardCharsets.US_ASCII)));

        assertThat(client.run(forced).orThrow()).isEqualTo("RELEASED");
    }

    /** A quorum begins calls on all servers before it waits for the first reply. */
    @Test
    void call_that_is_sent_when_its_reply_is_awaited_has_all_of_its_time_then() {
        isPipelined = false;
        client.connect(Duration.ofMinutes(1));
        Supplier<List<ScriptClient.Reply>> begun = client.begin(List.of(CALL), Acks.NONE, Duration.ofMinutes(1));
        long awaited = System.nanoTime();
        outcomes.addAll(List.of(BROKEN, "RELEASED".getBytes(StandardCharsets.US_ASCII)));

        ScriptClient.Reply reply = begun.get().get(0);

        assertThat(reply.orThrow()).isEqualTo("RELEASED");
        assertThat(reply.resent()).isTrue();
        assertThat(starts.get(1)).isGreaterThanOrEqualTo(awaited);
    }
}
