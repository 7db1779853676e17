package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.NewThread;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A release that nobody waits for: it is carried out before what the same store is asked for later. */
abstract class SentReleaseContract extends ContractFixture {

    /** So many that one which is overtaken shows. */
    private static final int TIMES = 300;

    SentReleaseContract(StoreUnderTest subject) {
        super(subject);
    }

    /** A store may want to know the server first. */
    @BeforeEach
    void release() {
        store().release(new ReleaseRequest(key, alice));
    }

    /** The answer, if the store can do that. */
    private CompletableFuture<ReleaseReply> send(LockKey lock, OwnerId owner) {
        CompletableFuture<ReleaseReply> answer = new CompletableFuture<>();
        boolean sent = store().sendRelease(new ReleaseRequest(lock, owner), reply -> complete(answer, reply));
        needs(OptionalCall.SEND_RELEASE, sent);
        return answer;
    }

    private static void complete(CompletableFuture<ReleaseReply> answer, LockStore.Pending<ReleaseReply> reply) {
        try {
            if (!answer.complete(reply.await())) {
                throw new IllegalStateException("Notified twice");
            }
        } catch (LockStoreException e) {
            answer.completeExceptionally(e);
        }
    }

    private void acquired(LockKey lock, OwnerId owner) {
        assertThat(store().acquire(oneTry(lock, owner))).isInstanceOf(AcquireReply.Granted.class);
    }

    @Test
    void answer_is_told_also_if_nothing_else_is_asked() {
        acquired(key, alice);

        assertThat(send(key, alice).join()).isEqualTo(ReleaseReply.RELEASED);
        assertThat(store().inspect(key).holders()).isEmpty();
    }

    @Test
    void one_that_is_not_held_is_told() {
        acquired(key, alice);

        assertThat(send(key, bob).join()).isEqualTo(ReleaseReply.NOT_HOLDER);
        assertThat(store().inspect(key).holders()).hasSize(1);
    }

    @Test
    void next_acquisition_finds_the_lock_free() {
        List<CompletableFuture<ReleaseReply>> answers = new ArrayList<>();
        OwnerId owner = alice;
        for (int i = 0; i < TIMES; i++) {
            acquired(key, owner);
            answers.add(send(key, owner));
            owner = next(owner);
        }
        assertThat(answers.stream().map(CompletableFuture::join)).containsOnly(ReleaseReply.RELEASED);
    }

    @Test
    void next_acquisition_by_another_thread_finds_the_lock_free() {
        OwnerId owner = alice;
        for (int i = 0; i < TIMES; i++) {
            acquired(key, owner);
            var unused = send(key, owner);
            owner = next(owner);
            OwnerId theirs = owner;
            NewThread.start(() -> store().acquire(oneTry(key, theirs)))
                    .thenAccept(reply -> assertThat(reply).isInstanceOf(AcquireReply.Granted.class))
                    .join();
            send(key, owner).join();
            owner = next(owner);
        }
    }

    /** Others take connections on which there is an answer meanwhile. */
    @Test
    void locks_of_many_threads_do_not_mix() {
        List<CompletableFuture<Long>> threads = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            LockKey own = beside(":own" + i);
            threads.add(NewThread.start(() -> pairs(own)));
        }
        assertThat(threads.stream().map(CompletableFuture::join)).containsOnly(0L);
    }

    /** Returns how many releases found something else than they should. */
    private long pairs(LockKey own) {
        List<CompletableFuture<ReleaseReply>> answers = new ArrayList<>();
        OwnerId owner = bob;
        for (int i = 0; i < TIMES; i++) {
            acquired(own, owner);
            CompletableFuture<ReleaseReply> answer = new CompletableFuture<>();
            var request = new ReleaseRequest(own, owner);
            if (!store().sendRelease(request, reply -> complete(answer, reply))) {
                answer.complete(store().release(request));
            }
            answers.add(answer);
            owner = next(owner);
        }
        return answers.stream()
                .filter(each -> each.join() != ReleaseReply.RELEASED)
                .count();
    }

    @Test
    void call_for_several_locks_comes_after_it() {
        LockKey other = beside(":other");
        for (int i = 0; i < TIMES / 10; i++) {
            acquired(key, alice);
            acquired(other, alice);
            var unusedOther = send(other, alice);
            var unusedKey = send(key, alice);
            AcquireAllReply reply = store().acquireAll(List.of(oneTry(key, bob), oneTry(other, carol)));
            needs(OptionalCall.ACQUIRE_ALL, !(reply instanceof AcquireAllReply.OneByOne));
            assertThat(reply).isInstanceOf(AcquireAllReply.Granted.class);
            store().release(new ReleaseRequest(key, bob));
            store().release(new ReleaseRequest(other, carol));
        }
    }
}
