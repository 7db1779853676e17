package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.redis.ScriptClient.Reply;
import io.holdfast.lock.redis.driver.LuaScript;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.redis.driver.Wire.Calls;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.Requests;
import java.lang.reflect.Proxy;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/** In which order calls are sent to several nodes, and what becomes of those that one node does not carry out. */
class SpreadCallsTest {

    private static final RuntimeException BROKEN = new JedisConnectionException("Unexpected end of stream.");
    private static final RuntimeException TIMEOUT =
            new JedisConnectionException(new SocketTimeoutException("Read timed out"));
    private static final RuntimeException NOSCRIPT = new JedisNoScriptException("NOSCRIPT No matching script");
    private static final RuntimeException MOVED = new JedisDataException("MOVED 1 127.0.0.1:7001");

    private static final Error ERROR = new OutOfMemoryError("on purpose");

    private final List<String> steps = new ArrayList<>();
    private final List<Long> starts = new ArrayList<>();

    /** The node to which nothing can be sent. */
    private String unsendable = "";

    /** What each node replies, send by send: a reply for each call, or what breaks the send. */
    private final Map<String, Deque<List<Object>>> replies = new HashMap<>();

    /** How long the first reply takes. */
    private Duration delay = Duration.ZERO;

    /** The name of a node is the first letter of its keys. */
    private final Wire wire = (Wire) Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Wire.class, RedisConnectionFactory.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "server" -> "Redis Cluster";
                case "isCluster", "isPipelined" -> true;
                case "isOneServer" -> false;
                case "serverOf" -> node((byte[]) arguments[0]);
                case "send" -> send((boolean) arguments[1], (Calls) arguments[2]);
                default -> null;
            });

    private final ScriptClient client =
            new ScriptClient(new RedisTemplate<>(), wire, false, Duration.ofMinutes(1), List.of(), () -> {});

    private static String node(byte[] key) {
        String text = new String(key, StandardCharsets.US_ASCII);
        int first = text.indexOf('{') + 1;
        return text.substring(first, first + 1);
    }

    private Supplier<List<Object>> send(boolean background, Calls calls) {
        if (background) {
            throw new JedisDataException("LOADING on purpose");
        }
        String node = node(calls.all().get(0).keysAndArgs()[0]);
        String how = (calls.byText() ? " by text" : "") + (calls.redirection() == null ? "" : " redirected");
        steps.add("send " + calls.all().size() + " to " + node + how);
        starts.add(calls.start());
        if (node.equals(unsendable)) {
            throw ERROR;
        }
        return () -> {
            steps.add("read from " + node);
            long until = System.nanoTime() + delay.toNanos();
            while (System.nanoTime() - until < 0) {
                LockSupport.parkNanos(until - System.nanoTime());
            }
            delay = Duration.ZERO;
            List<Object> next = replies.get(node).remove();
            if (next.get(0) == ERROR) {
                throw ERROR;
            }
            if (next.get(0) instanceof JedisConnectionException broken) {
                throw broken;
            }
            return next;
        };
    }

    private void replies(String node, List<Object> replies) {
        this.replies.computeIfAbsent(node, added -> new ArrayDeque<>()).add(replies);
    }

    private static Object text(String reply) {
        return reply.getBytes(StandardCharsets.US_ASCII);
    }

    private List<Reply> spread(String... keys) {
        return client.spread(
                Stream.of(keys)
                        .map(key -> ScriptCodec.call(LuaScript.RELEASE, false, 1, key))
                        .toList(),
                System.nanoTime());
    }

    private AcquireAllReply acquireAll(Duration commandTimeout, String... keys) {
        RedisTemplate<?, ?> template = new RedisTemplate<>();
        template.setConnectionFactory((RedisConnectionFactory) wire);
        RedisLockStore store =
                new RedisLockStore(template, RedisLockSettings.STANDARD.withCommandTimeout(commandTimeout));
        return store.acquireAll(Stream.of(keys)
                .map(key -> Requests.exclusive(
                        LockKey.of(key), new OwnerId("client", 1), 1_000, new HolderInfo("web-1", 1, "main"), true))
                .toList());
    }

    private static void assertRefused(AcquireAllReply reply, boolean resent) {
        assertThat(reply)
                .isInstanceOfSatisfying(
                        AcquireAllReply.Refused.class,
                        refused -> assertThat(refused.reply().resent()).isEqualTo(resent));
    }

    @Test
    void all_calls_are_sent_before_the_first_reply_is_read_and_the_replies_are_in_the_order_of_the_calls() {
        replies("a", List.of(text("1"), text("3")));
        replies("b", List.of(text("2"), text("4")));

        List<Reply> found = spread("b2", "a1", "b4", "a3");

        assertThat(found).extracting(Reply::orThrow).containsExactly("2", "1", "4", "3");
        assertThat(steps).containsExactly("send 2 to a", "send 2 to b", "read from a", "read from b");
        assertThat(starts.stream().distinct()).hasSize(1);
    }

    /** A thread that waits for a connection to resend a call keeps none to another node. */
    @Test
    void calls_are_sent_again_only_when_all_replies_have_been_read() {
        replies("a", List.of(NOSCRIPT));
        replies("a", List.of(text("1")));
        replies("b", List.of(BROKEN));
        replies("b", List.of(text("2")));
        replies("c", List.of(MOVED, text("4")));
        replies("c", List.of(text("3")));

        List<Reply> found = spread("a1", "b2", "c3", "c4");

        assertThat(found).extracting(Reply::orThrow).containsExactly("1", "2", "3", "4");
        assertThat(found).extracting(Reply::resent).containsExactly(false, true, false, false);
        assertThat(steps)
                .containsExactly(
                        "send 1 to a",
                        "send 1 to b",
                        "send 2 to c",
                        "read from a",
                        "read from b",
                        "read from c",
                        "send 1 to a by text",
                        "read from a",
                        "send 1 to b",
                        "read from b",
                        "send 1 to c redirected",
                        "read from c");
    }

    @Test
    void node_that_does_not_reply_fails_its_own_calls() {
        replies("a", List.of(text("1")));
        replies("b", List.of(TIMEOUT));
        replies("c", List.of(text("4")));

        List<Reply> found = spread("a1", "b2", "b3", "c4");

        assertThat(found.get(0).orThrow()).isEqualTo("1");
        assertThat(found.subList(1, 3))
                .allSatisfy(
                        reply -> assertThat(reply.failure().outcomeUnknown()).isTrue());
        assertThat(found.get(3).orThrow()).isEqualTo("4");
    }

    @Test
    void error_while_calls_are_sent_is_thrown_when_the_replies_of_the_other_nodes_have_been_read() {
        unsendable = "b";
        replies("a", List.of(text("1")));
        replies("c", List.of(text("3")));

        assertThatThrownBy(() -> spread("a1", "b2", "c3")).isSameAs(ERROR);

        assertThat(steps).containsExactly("send 1 to a", "send 1 to b", "send 1 to c", "read from a", "read from c");
    }

    @Test
    void error_while_replies_are_read_is_thrown_when_those_of_the_other_nodes_have_been_read() {
        replies("a", List.of(ERROR));
        replies("b", List.of(text("2")));

        assertThatThrownBy(() -> spread("a1", "b2")).isSameAs(ERROR);

        assertThat(steps).containsExactly("send 1 to a", "send 1 to b", "read from a", "read from b");
    }

    /** One after the other, each would have a part of the command timeout of its own. */
    @Test
    void all_nodes_that_forgot_the_scripts_get_their_texts_before_a_reply_to_these_is_read() {
        for (String node : List.of("a", "b", "c")) {
            replies(node, List.of(NOSCRIPT));
            replies(node, List.of(node.equals("b") ? TIMEOUT : text(node)));
        }
        replies("d", List.of(text("d")));

        List<Reply> found = spread("a1", "b2", "c3", "d4");

        assertThat(found.get(0).orThrow()).isEqualTo("a");
        assertThat(found.get(1).failure().outcomeUnknown()).isTrue();
        assertThat(found.get(2).orThrow()).isEqualTo("c");
        assertThat(found.get(3).orThrow()).isEqualTo("d");
        assertThat(steps.subList(8, steps.size()))
                .containsExactly(
                        "send 1 to a by text",
                        "send 1 to b by text",
                        "send 1 to c by text",
                        "read from a",
                        "read from b",
                        "read from c");
        assertThat(starts.stream().distinct()).hasSize(1);
    }

    @Test
    void error_is_thrown_when_the_replies_to_texts_have_been_read() {
        replies("a", List.of(NOSCRIPT));
        replies("a", List.of(ERROR));
        replies("b", List.of(ERROR));
        replies("c", List.of(NOSCRIPT));
        replies("c", List.of(text("3")));

        assertThatThrownBy(() -> spread("a1", "b2", "c3")).isSameAs(ERROR);

        assertThat(steps.subList(6, steps.size()))
                .containsExactly("send 1 to a by text", "send 1 to c by text", "read from a", "read from c");
    }

    @Test
    void locks_are_given_back_within_the_time_of_the_call() {
        replies("a", List.of(text("1")));
        replies("b", List.of(text("HELD 1 1000000 0")));
        replies("a", List.of(text("RELEASED")));

        assertRefused(acquireAll(Duration.ofMinutes(1), "a1", "b2"), false);

        assertThat(steps).endsWith("send 1 to a", "read from a").hasSize(6);
        assertThat(starts.stream().distinct()).hasSize(1);
    }

    /** A node that hangs then would cost another command timeout. The caller undoes the acquisitions in the background. */
    @Test
    void locks_are_not_given_back_after_half_of_the_command_timeout() {
        delay = Duration.ofMillis(200);
        replies("a", List.of(text("1")));
        replies("b", List.of(text("HELD 1 1000000 0")));

        assertRefused(acquireAll(delay.multipliedBy(2), "a1", "b2"), true);

        assertThat(steps).containsExactly("send 1 to a", "send 1 to b", "read from a", "read from b");
    }

    @Test
    void late_refusal_of_all_locks_leaves_nothing_to_undo() {
        delay = Duration.ofMillis(200);
        replies("a", List.of(text("HELD 1 1000000 0")));
        replies("b", List.of(text("HELD 1 1000000 0")));

        assertRefused(acquireAll(delay.multipliedBy(2), "a1", "b2"), false);
    }

    @Test
    void redirected_calls_of_all_nodes_share_the_time_of_the_call() {
        replies("a", List.of(MOVED, MOVED));
        replies("a", List.of(text("1")));
        replies("a", List.of(text("2")));
        replies("b", List.of(MOVED));
        replies("b", List.of(NOSCRIPT));
        replies("b", List.of(text("3")));

        assertThat(spread("a1", "a2", "b3")).extracting(Reply::orThrow).containsExactly("1", "2", "3");

        assertThat(starts).hasSize(6);
        assertThat(starts.stream().distinct()).hasSize(1);
    }

    /** Otherwise the second release would be taken for a loss. */
    @Test
    void call_that_was_carried_out_before_the_scripts_were_flushed_counts_as_resent() {
        replies("a", List.of(text("RELEASED"), NOSCRIPT));
        replies("a", List.of(text("NOT_HOLDER"), text("RELEASED")));

        assertThat(spread("a1", "a2").get(0).resent()).isTrue();
    }
}
