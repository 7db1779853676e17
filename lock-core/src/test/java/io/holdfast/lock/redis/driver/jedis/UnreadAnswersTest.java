package io.holdfast.lock.redis.driver.jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import io.holdfast.lock.redis.driver.jedis.UnreadAnswers.Unread;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.NoScript;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/** Which call gets which connection. */
class UnreadAnswersTest {

    private static final long TIMEOUT = TimeUnit.MINUTES.toNanos(1);

    private final JedisLender lender = new JedisLender(List::of, () -> "nowhere", TIMEOUT);
    private final List<Object> told = new CopyOnWriteArrayList<>();

    /** Nobody but a test lets it answer. */
    private static class Answering extends Connection {

        @Override
        public void sendCommand(CommandArguments arguments) {}

        private final CountDownLatch answered = new CountDownLatch(1);
        private volatile boolean read;

        @Override
        public List<Object> getMany(int count) {
            read = true;
            try {
                assertThat(answered.await(1, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return Collections.nCopies(count, this);
        }

        @Override
        public void setSoTimeout(int soTimeout) {}

        @Override
        public void close() {}
    }

    private static ScriptCall call(String... keys) {
        byte[][] names =
                Stream.of(keys).map(key -> key.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
        return new ScriptCall(new NoScript(), names.length, names, false);
    }

    /** Its thread comes to nothing before the test ends. */
    private UnreadAnswers answers(boolean oneServer, int most) {
        return new UnreadAnswers(lender, most, oneServer, TIMEOUT, 10 * TIMEOUT);
    }

    private Answering send(UnreadAnswers unread, String key) {
        Answering connection = new Answering();
        Unread expected = unread.expect(
                call(key), connection, sent -> told.add(sent.await().replies().get(0)));
        assertThat(expected).isNotNull();
        unread.add(expected);
        return connection;
    }

    private static Connection taken(UnreadAnswers unread, ScriptCall call) {
        Unread taken = unread.takeFor(call);
        return taken == null ? null : taken.connection();
    }

    @Test
    void call_goes_behind_the_one_for_its_key() {
        UnreadAnswers unread = answers(true, 4);
        Answering other = send(unread, "b");
        Answering same = send(unread, "a");

        assertThat(taken(unread, call("a"))).isSameAs(same);
        assertThat(taken(unread, call("c"))).isSameAs(other);
        assertThat(taken(unread, call("c"))).isNull();
    }

    @Test
    void on_a_cluster_no_other_connection_will_do() {
        UnreadAnswers unread = answers(false, 4);
        Answering same = send(unread, "a");

        assertThat(taken(unread, call("b"))).isNull();
        assertThat(taken(unread, call("a"))).isSameAs(same);
    }

    @Test
    void call_whose_key_another_thread_has_taken_waits_until_that_was_read() {
        UnreadAnswers unread = answers(true, 4);
        send(unread, "a");
        Unread theirs = unread.takeFor(call("b"));

        assertThat(taken(unread, call("a"))).isNull();
        AtomicReference<Thread> waiting = new AtomicReference<>();
        CompletableFuture<Boolean> mine = NewThread.start(() -> {
            waiting.set(Thread.currentThread());
            unread.settle(List.of(call("a")));
            return Thread.interrupted();
        });
        Awaitility.await().until(() -> waiting.get() != null);
        waiting.get().interrupt(); // it waits all the same, or its call would overtake the other one
        Awaitility.await()
                .during(100, TimeUnit.MILLISECONDS)
                .atMost(1, TimeUnit.MINUTES)
                .until(() -> !mine.isDone());
        theirs.tell("answer");

        assertThat(mine.join()).isTrue();
        assertThat(told).containsExactly("answer");
    }

    @Test
    void call_for_several_keys_reads_what_there_is_for_each() {
        UnreadAnswers unread = answers(true, 4);
        Answering a = send(unread, "a");
        Answering b = send(unread, "b");
        Answering c = send(unread, "c");
        a.answered.countDown();
        b.answered.countDown();

        assertThat(taken(unread, call("a", "b"))).isNull();
        unread.settle(List.of(call("a", "b")));

        assertThat(told).containsExactly(a, b);
        assertThat(c.read).isFalse();
    }

    private JedisWire wire(UnreadAnswers unread, Function<byte[], Connection> pool) {
        return new JedisWire(pool, lender, unread, Duration.ofMinutes(1));
    }

    private static Answering ready() {
        Answering connection = new Answering();
        connection.answered.countDown();
        return connection;
    }

    /** Who begins a call may wait for anything before it reads: nobody else could take what it has taken. */
    @Test
    void call_that_is_begun_takes_nothing_and_reads_what_there_is_for_its_key() {
        UnreadAnswers unread = answers(true, 4);
        Answering a = send(unread, "a");
        a.answered.countDown();
        send(unread, "b");

        Wire.Sent begun = wire(unread, key -> ready()).send(List.of(call("a")), Wire.Acks.NONE, System.nanoTime());

        assertThat(told).containsExactly(a);
        assertThat(taken(unread, call("b"))).isNotNull();
        assertThat(begun.await().replies()).doesNotContain(a);
    }

    @Test
    void call_with_a_wait_has_a_connection_of_its_own() {
        UnreadAnswers unread = answers(true, 4);
        Answering a = send(unread, "a");
        Answering own = ready();

        try {
            var unused = wire(unread, key -> own).call(List.of(call("b")), new Wire.Acks(1, Duration.ofSeconds(1)), 0);
        } catch (ClassCastException e) {
            assertThat(own.read).isTrue(); // what it reads is no number of replicas
        }

        assertThat(a.read).isFalse();
        assertThat(taken(unread, call("b"))).isSameAs(a);
    }

    @Test
    void call_behind_another_one_gets_its_own_answer_and_tells_that_of_the_other() {
        UnreadAnswers unread = answers(true, 4);
        Answering a = send(unread, "a");
        a.answered.countDown();

        Wire.Answers answers = wire(unread, key -> ready()).call(List.of(call("b")), Wire.Acks.NONE, 0);

        assertThat(answers.replies()).containsExactly(a);
        assertThat(told).containsExactly(a);
    }

    @Test
    void interrupt_that_ends_the_wait_for_a_connection_is_kept() {
        JedisWire wire = wire(answers(true, 4), key -> {
            throw new JedisException(new InterruptedException("on purpose"));
        });

        assertThat(wire.sendUnawaited(call("a"), sent -> {})).isFalse();

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void answer_is_told_though_its_connection_cannot_be_given_back() {
        JedisLender closed = new JedisLender(
                () -> {
                    throw new IllegalStateException("no pools any more (on purpose)");
                },
                () -> "nowhere",
                TIMEOUT);
        UnreadAnswers unread = new UnreadAnswers(closed, 4, true, TIMEOUT, 10 * TIMEOUT);
        Answering silent = new Answering() {
            @Override
            public List<Object> getMany(int count) {
                throw new JedisConnectionException(new SocketTimeoutException("on purpose"));
            }
        };
        Unread expected = unread.expect(call("a"), silent, sent -> told.add(sent));
        unread.add(expected);

        assertThatThrownBy(() -> unread.settle(List.of(call("a")))).isInstanceOf(IllegalStateException.class);

        assertThat(told).hasSize(1);
        assertThat(unread.hasRoomFor(call("a"))).isTrue();
    }

    @Test
    void there_is_room_for_so_many_and_for_one_of_a_key() {
        UnreadAnswers unread = answers(true, 2);
        send(unread, "a");

        assertThat(unread.hasRoomFor(call("a"))).isFalse();
        assertThat(unread.expect(call("a"), new Answering(), sent -> {})).isNull();
        assertThat(unread.hasRoomFor(call("b"))).isTrue();
        send(unread, "b");
        assertThat(unread.hasRoomFor(call("c"))).isFalse();
        assertThat(unread.expect(call("c"), new Answering(), sent -> {})).isNull();

        unread.takeFor(call("a")).tell("answer");
        assertThat(unread.hasRoomFor(call("c"))).isTrue();
    }

    @Test
    void what_is_not_sent_yet_is_taken_by_nobody() {
        UnreadAnswers unread = answers(true, 4);
        Unread early = unread.expect(call("a"), new Answering(), sent -> {});

        assertThat(taken(unread, call("a"))).isNull();
        unread.add(early);
        assertThat(taken(unread, call("a"))).isSameAs(early.connection());
    }

    @Test
    void answer_is_told_once() {
        UnreadAnswers unread = answers(true, 4);
        send(unread, "a");
        Unread taken = unread.takeFor(call("a"));

        taken.tell("answer");
        taken.fail(new IllegalStateException("late"));

        assertThat(told).containsExactly("answer");
    }

    /** By a thread of its own, which reads those that come later as well. */
    @Test
    void what_no_call_takes_is_read() {
        UnreadAnswers unread = new UnreadAnswers(lender, 4, true, TIMEOUT, 0);
        for (int i = 1; i <= 3; i++) {
            send(unread, "a").answered.countDown();
            int number = i;
            Awaitility.await().until(() -> told.size() == number);
        }
    }

    @Test
    void all_are_read_before_the_connections_are_closed() {
        UnreadAnswers unread = answers(true, 4);
        send(unread, "a").answered.countDown();
        send(unread, "b").answered.countDown();

        unread.settleAll();

        assertThat(told).hasSize(2);
    }
}
