package io.holdfast.lock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nobody waits for a server whose answer changes nothing any more. A wait for one that hangs would not end. */
@Timeout(60)
class QuorumHangsTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final OwnerId ALICE = new OwnerId("alice", 1);

    private final List<StoreSpy> servers = Stream.generate(() -> new StoreSpy(new InMemoryLockStore()))
            .limit(3)
            .toList();
    private final CountDownLatch released = new CountDownLatch(1);
    private final QuorumLockStore store = new QuorumLockStore(
            IntStream.range(0, 3)
                    .mapToObj(i -> new QuorumNode("node-" + i, servers.get(i)))
                    .toList(),
            Duration.ofHours(1));

    @BeforeEach
    void acquire() {
        assertThat(store.acquire(Requests.exclusive(KEY, ALICE, 3_600_000, new HolderInfo("web-1", 1, "main"), false)))
                .isInstanceOf(AcquireReply.Granted.class);
        Awaitility.await()
                .until(() -> servers.stream()
                        .allMatch(each -> each.inspect(KEY).holder().isPresent()));
    }

    @AfterEach
    void close() {
        released.countDown();
        store.close();
    }

    private void hang(StoreSpy server) {
        server.before = () -> awaitUninterruptibly(released);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException e) {
                // The driver's call goes on.
            }
        }
    }

    private RenewReply renew() {
        return store.renew(List.of(Requests.renewal(KEY, ALICE, 3_600_000))).get(0);
    }

    @Test
    void renewal_by_most_servers_is_answered_while_one_hangs() {
        hang(servers.get(1));

        assertThat(renew()).isInstanceOf(RenewReply.Renewed.class);
        assertThat(store.extend(Requests.renewal(KEY, ALICE, 3_600_000))).isInstanceOf(RenewReply.Renewed.class);
    }

    @Test
    void lock_that_was_left_at_most_servers_was_left_while_one_hangs() {
        hang(servers.get(0));

        store.leave(KEY, ALICE, Duration.ZERO, ReleaseRequest.ALL_TOKENS);

        assertThat(servers.get(1).inspect(KEY).holders()).isEmpty();
        assertThat(servers.get(2).inspect(KEY).holders()).isEmpty();
    }

    @Test
    void failure_of_most_servers_is_told_while_one_hangs() {
        hang(servers.get(0));
        servers.get(1).reachable(false);
        servers.get(2).reachable(false);

        assertThatThrownBy(() -> store.leave(KEY, ALICE, Duration.ZERO, ReleaseRequest.ALL_TOKENS))
                .isInstanceOf(LockStoreException.class);
    }

    @Test
    void answers_that_take_their_time_are_waited_for_also_by_who_is_interrupted() throws Exception {
        servers.forEach(this::hang);
        Thread caller = Thread.currentThread();
        Thread later = new Thread(() -> {
            while (!isWaiting(caller)) {
                Thread.onSpinWait();
            }
            caller.interrupt();
            while (caller.isInterrupted() || !isWaiting(caller)) {
                Thread.onSpinWait();
            }
            released.countDown();
        });
        later.start();

        assertThat(renew()).isInstanceOf(RenewReply.Renewed.class);

        assertThat(Thread.interrupted()).isTrue();
        later.join();
    }

    private static boolean isWaiting(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }
}
