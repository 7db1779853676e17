package io.holdfast.lock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Servers that begin to hang, and do so until the test ends. Whoever waited for one of them would wait for as long; so an
 * outcome that comes at all has not waited.
 */
class HangingServersTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final int SERVERS = 5;

    /** What a server that hangs holds up. */
    enum Step {
        SENDING,
        READING
    }

    private static final class Server extends StoreSpy {

        final List<String> done = new CopyOnWriteArrayList<>();
        final Semaphore stuck = new Semaphore(0);
        private final CountDownLatch resumed = new CountDownLatch(1);
        private volatile Step hangs;
        private volatile LockStoreException failure;

        Server() {
            super(new InMemoryLockStore());
        }

        void hang(Step step) {
            hangs = step;
        }

        void fail(LockStoreException with) {
            failure = with;
        }

        void resume() {
            hangs = null;
            resumed.countDown();
        }

        private void pass(Step step) {
            if (hangs == step) {
                stuck.release();
                awaitResumed();
            }
            if (failure != null) {
                throw failure;
            }
        }

        private void awaitResumed() {
            try {
                resumed.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Pending<AcquireReply> beginAcquire(AcquireRequest request) {
            pass(Step.SENDING);
            return () -> {
                pass(Step.READING);
                done.add("acquire");
                return acquire(request);
            };
        }

        @Override
        public Pending<ReleaseReply> beginRelease(ReleaseRequest request) {
            pass(Step.SENDING);
            return () -> {
                pass(Step.READING);
                ReleaseReply reply = release(request);
                done.add("release");
                return reply;
            };
        }
    }

    private final List<Server> servers =
            Stream.generate(Server::new).limit(SERVERS).toList();
    private final QuorumLockStore store = new QuorumLockStore(
            servers.stream()
                    .map(server -> new QuorumNode("node-" + servers.indexOf(server), server))
                    .toList(),
            Duration.ofMinutes(1));
    private int sequence;

    @AfterEach
    void end() {
        servers.forEach(Server::resume);
        store.close();
    }

    private OwnerId owner() {
        return new OwnerId("client", ++sequence);
    }

    private AcquireReply acquire(OwnerId owner) throws Exception {
        AcquireRequest request = Requests.exclusive(KEY, owner, 30_000, new HolderInfo("web-1", 1, "main"), false);
        return CompletableFuture.supplyAsync(() -> store.acquire(request)).get(1, TimeUnit.MINUTES);
    }

    private ReleaseReply release(OwnerId owner) throws Exception {
        return CompletableFuture.supplyAsync(() -> store.release(new ReleaseRequest(KEY, owner)))
                .get(1, TimeUnit.MINUTES);
    }

    private void acquireAndRelease() throws Exception {
        OwnerId owner = owner();
        assertThat(acquire(owner)).isInstanceOf(AcquireReply.Granted.class);
        assertThat(release(owner)).isEqualTo(ReleaseReply.RELEASED);
    }

    private void acquireAndReleaseEverywhere() throws Exception {
        acquireAndRelease();
        for (Server server : servers) {
            awaitAllDone(server);
        }
    }

    /** There may have been several rounds, until all had the same token. */
    private static void awaitAllDone(Server server) {
        Awaitility.await().until(() -> server.done.contains("release"));
        assertThat(server.done.stream().distinct()).containsExactly("acquire", "release");
        assertThat(server.done.get(server.done.size() - 1)).isEqualTo("release");
    }

    @ParameterizedTest
    @EnumSource
    void lock_is_granted_and_given_back_although_the_servers_that_are_asked_first_begin_to_hang(Step step)
            throws Exception {
        acquireAndReleaseEverywhere();
        servers.get(0).hang(step);
        servers.get(1).hang(step);

        for (int i = 0; i < 10; i++) {
            acquireAndRelease();
        }
    }

    @ParameterizedTest
    @EnumSource
    void lock_is_granted_although_the_servers_that_are_asked_last_begin_to_hang(Step step) throws Exception {
        acquireAndReleaseEverywhere();
        servers.get(3).hang(step);
        servers.get(4).hang(step);

        for (int i = 0; i < 10; i++) {
            acquireAndRelease();
        }
    }

    @ParameterizedTest
    @EnumSource
    void servers_that_begin_to_hang_are_asked_at_the_same_time(Step step) throws Exception {
        acquireAndReleaseEverywhere();
        servers.subList(0, 3).forEach(server -> server.hang(step));

        CompletableFuture<AcquireReply> reply = CompletableFuture.supplyAsync(() -> {
            try {
                return acquire(owner());
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });

        for (Server server : servers.subList(0, 3)) {
            assertThat(server.stuck.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
        }
        assertThat(reply).isNotDone();
        servers.forEach(Server::resume);
        assertThat(reply.get(1, TimeUnit.MINUTES)).isInstanceOf(AcquireReply.Granted.class);
    }

    @Test
    void majority_that_cannot_be_had_any_more_is_told_at_once() throws Exception {
        acquireAndReleaseEverywhere();
        servers.subList(0, 2).forEach(server -> server.hang(Step.READING));
        servers.subList(2, 5).forEach(server -> server.fail(StoreSpy.unreachable()));

        assertThat(CompletableFuture.supplyAsync(() -> {
                            try {
                                return acquire(owner());
                            } catch (ExecutionException e) {
                                return e.getCause();
                            } catch (Exception e) {
                                return e;
                            }
                        })
                        .get(1, TimeUnit.MINUTES))
                .isInstanceOf(LockStoreException.class);
    }

    @ParameterizedTest
    @EnumSource
    void release_never_overtakes_the_acquisition_at_a_server_that_hangs(Step step) throws Exception {
        acquireAndReleaseEverywhere();
        servers.forEach(server -> server.done.clear());
        Server hanging = servers.get(0);
        hanging.hang(step);
        acquireAndRelease();
        assertThat(hanging.done).isEmpty();

        hanging.resume();

        awaitAllDone(hanging);
        Awaitility.await().until(() -> hanging.inspect(KEY).holders().isEmpty());
    }

    @Test
    void release_reaches_a_server_at_once_that_stands_behind_one_that_hangs() throws Exception {
        acquireAndReleaseEverywhere();
        servers.forEach(server -> server.done.clear());
        servers.get(3).hang(Step.READING);
        acquireAndRelease();

        awaitAllDone(servers.get(4));
    }
}
