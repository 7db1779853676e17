package io.holdfast.lock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.OwnerId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** One server's calls: their order, and what becomes of them while it does not answer. The test plays the threads. */
class NodeTest {

    private static final OwnerId OWNER = new OwnerId("client", 1);
    private static final OwnerId OTHER = new OwnerId("client", 2);

    private final Deque<Runnable> threads = new ArrayDeque<>();
    private final Node node = new Node(new QuorumNode("a", new InMemoryLockStore()), threads::add);
    private final List<String> sent = new ArrayList<>();

    private CompletableFuture<String> send(OwnerId owner, String call) {
        return node.send(owner, store -> {
            sent.add(call);
            return call;
        });
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

        assertThat(node.prepare(OWNER, store -> () -> "release")).isNull();
        assertThat(node.prepare(OTHER, store -> () -> "other")).isNotNull();

        runAll();
        assertThat(node.prepare(OWNER, store -> () -> "release")).isNotNull();
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

    @Test
    void server_that_answers_again_gets_all_calls_again() {
        sendUnanswered(OWNER);
        runAll();
        assertThat(node.prepare(OWNER, store -> () -> "here")).isNull();

        send(OWNER, "probe");
        runAll();

        send(OWNER, "one");
        send(OTHER, "two");
        runAll();
        assertThat(sent).containsExactly("probe", "one", "two");
        assertThat(node.prepare(OWNER, store -> () -> "here")).isNotNull();
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
        assertThat(node.prepare(OWNER, store -> () -> "three")).isNotNull();
    }

    @Test
    void refusal_is_no_outage() {
        node.send(OWNER, store -> {
            throw new LockStoreException("Redis refused: WRONGTYPE", null, false);
        });
        runAll();

        assertThat(node.prepare(OWNER, store -> () -> "here")).isNotNull();
    }
}
