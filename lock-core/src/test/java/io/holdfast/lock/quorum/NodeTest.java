package io.holdfast.lock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.testing.FailingLog;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** One server's calls: their order, and what becomes of them while it does not answer. The test plays the threads. */
class NodeTest {

    private static final OwnerId OWNER = new OwnerId("client", 1);
    private static final OwnerId OTHER = new OwnerId("client", 2);

    private final Deque<Runnable> threads = new ArrayDeque<>();
    private final Node node = new Node(new QuorumNode("a", new InMemoryLockStore()), threads::add, Ticker.SYSTEM);
    private final List<String> sent = new ArrayList<>();

    private CompletableFuture<String> send(OwnerId owner, String call) {
        return node.send(owner, store -> {
            sent.add(call);
            return call;
        });
    }

    /** Whether a round sends its next call together with those to other servers. Else it is left to the threads. */
    private boolean isJoint(OwnerId owner) {
        List<Node.NodeCall<?>> round = new ArrayList<>();
        CompletableFuture<String> call = node.call(owner, round::add, () -> () -> "joint");
        round.forEach(Node.NodeCall::finish);
        return call.isDone();
    }

    private static LockStoreException unanswered() {
        return new LockStoreException("timed out", null, true);
    }

    private CompletableFuture<String> sendUnanswered(OwnerId owner) {
        return node.send(owner, store -> {
            throw unanswered();
        });
    }

    private void runLast() {
        threads.removeLast().run();
    }

    private void runAll() {
        while (!threads.isEmpty()) {
            threads.removeFirst().run();
        }
    }

    @Test
    void calls_of_one_acquisition_do_not_overtake_each_other() {
        send(OWNER, "acquire");
        send(OWNER, "release");
        assertThat(threads).hasSize(1);

        runAll();

        assertThat(sent).containsExactly("acquire", "release");
    }

    @Test
    void call_comes_after_an_earlier_one_that_failed() {
        sendUnanswered(OWNER);
        CompletableFuture<String> release = send(OWNER, "release");

        runAll();

        assertThat(release.join()).isEqualTo("release");
    }

    @Test
    void calls_of_others_do_not_wait() {
        send(OWNER, "acquire");
        send(OTHER, "other");

        runLast();

        assertThat(sent).containsExactly("other");
    }

    @Test
    void who_looks_sees_what_was_sent_before() {
        send(OWNER, "acquire");
        send(OTHER, "other");
        node.send(store -> sent.add("renew"));
        CompletableFuture<List<String>> seen = node.sendAfterAll(store -> List.copyOf(sent));

        while (!threads.isEmpty()) {
            runLast();
        }

        assertThat(seen.join()).containsExactlyInAnyOrder("acquire", "other", "renew");
    }

    @Test
    void call_is_not_begun_here_while_an_earlier_one_is_on_its_way() {
        send(OWNER, "acquire");

        assertThat(isJoint(OWNER)).isFalse();
        assertThat(isJoint(OTHER)).isTrue();

        runAll();
        assertThat(isJoint(OWNER)).isTrue();
    }

    @Test
    void reply_is_read_once_also_if_another_thread_takes_over_meanwhile() {
        List<Node.NodeCall<?>> round = new ArrayList<>();
        node.call(OWNER, round::add, () -> () -> {
            round.get(0).finish();
            return sent.add("read");
        });

        round.get(0).finish();
        round.get(0).finish();

        assertThat(sent).containsExactly("read");
    }

    @Test
    void server_that_does_not_answer_gets_one_call_at_a_time() {
        sendUnanswered(OWNER);
        runAll();
        List<CompletableFuture<String>> calls = new ArrayList<>();
        calls.add(node.send(store -> {
            calls.add(send(OTHER, "meanwhile"));
            runLast();
            throw unanswered();
        }));

        runAll();

        assertThatThrownBy(calls.get(1)::join)
                .hasCauseInstanceOf(LockStoreException.class)
                .hasMessageContaining("skipped");
        assertThat(sent).isEmpty();
    }

    /** The release of an acquisition that is not answered, for instance. */
    @Test
    void call_that_waited_for_the_one_that_was_sent_meanwhile_is_sent_next() {
        Node direct = new Node(new QuorumNode("a", new InMemoryLockStore()), Runnable::run, Ticker.SYSTEM);
        direct.send(OTHER, store -> {
            throw unanswered();
        });

        direct.send(OWNER, store -> {
            direct.send(OWNER, here -> sent.add("release"));
            throw unanswered();
        });

        assertThat(sent).containsExactly("release");
    }

    @Test
    void call_whose_failure_cannot_be_logged_ends_and_lets_others_be_sent() {
        LockStoreException failure = new LockStoreException("timed out", new IOException(), true);
        CompletableFuture<Object> call = node.send(OWNER, store -> {
            throw failure;
        });
        try (FailingLog log = new FailingLog(Node.class)) {
            runAll();
        }

        assertThatThrownBy(call::join).hasCause(failure);
        send(OWNER, "next");
        runAll();
        assertThat(sent).containsExactly("next");
    }

    @Test
    void server_that_answers_again_gets_all_calls_again() {
        sendUnanswered(OWNER);
        runAll();
        assertThat(isJoint(OWNER)).isFalse();

        send(OWNER, "probe");
        runAll();

        send(OWNER, "one");
        send(OTHER, "two");
        runAll();
        assertThat(sent).containsExactly("probe", "one", "two");
        assertThat(isJoint(OWNER)).isTrue();

        sendUnanswered(OWNER);
        runAll();
        send(OWNER, "probe of the next outage");
        runAll();
        assertThat(sent).endsWith("probe of the next outage");
    }

    @Test
    void caller_that_is_interrupted_says_nothing_about_the_server() {
        Thread.currentThread().interrupt();
        sendUnanswered(OWNER);
        runAll();
        assertThat(Thread.interrupted()).isTrue();

        send(OTHER, "one");
        send(new OwnerId("client", 3), "two");
        runAll();

        assertThat(sent).containsExactly("one", "two");
        assertThat(isJoint(OWNER)).isTrue();
    }

    @Test
    void refusal_is_no_outage() {
        node.send(OWNER, store -> {
            throw new LockStoreException("Redis refused: WRONGTYPE", null, false);
        });
        runAll();

        assertThat(isJoint(OWNER)).isTrue();
    }

    @Test
    void calls_beyond_those_that_may_wait_for_a_server_that_hangs_fail_at_once_and_were_not_sent() {
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int i = 0; i < Node.MAX_THREADS + Node.MAX_WAITING + 3; i++) {
            calls.add(send(new OwnerId("many", i), "call"));
        }

        assertThat(threads).hasSize(Node.MAX_THREADS + Node.MAX_WAITING);
        assertThat(calls.stream().filter(CompletableFuture::isDone))
                .hasSize(3)
                .allSatisfy(refused -> assertThatThrownBy(refused::join)
                        .cause()
                        .isInstanceOfSatisfying(
                                LockStoreException.class,
                                refusal -> assertThat(refusal.outcomeUnknown()).isFalse())
                        .hasMessageContaining("a is too slow"));

        runAll();
        send(OWNER, "next");
        assertThat(threads).hasSize(1);
    }

    /** Its store is closed then, and refuses. */
    @Test
    void call_after_the_end_is_made_by_its_caller_and_makes_no_room_for_more() {
        Node ended = new Node(
                new QuorumNode("a", new InMemoryLockStore()),
                task -> {
                    throw new RejectedExecutionException();
                },
                Ticker.SYSTEM);
        for (int i = 0; i < 2 * (Node.MAX_THREADS + Node.MAX_WAITING); i++) {
            assertThat(ended.send(store -> "late").join()).isEqualTo("late");
        }
    }

    @Test
    void each_server_has_a_pool_of_so_many_threads_and_no_more() {
        List<Integer> pools = new ArrayList<>();
        List<QuorumNode> nodes = Stream.of("a", "b", "c")
                .map(name -> new QuorumNode(name, new InMemoryLockStore()))
                .toList();

        new Quorum(nodes, Ticker.SYSTEM, most -> {
            pools.add(most);
            return Runnable::run;
        });

        assertThat(pools).containsExactlyInAnyOrder(64, 64, 64, Integer.MAX_VALUE);
    }
}
