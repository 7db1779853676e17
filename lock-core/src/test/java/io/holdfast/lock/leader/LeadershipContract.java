package io.holdfast.lock.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.InvalidAfterPause;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Two instances of an application, which stand for the same role, on any store. A pause of the machine ends entries in the queue, and
 * gives who has resigned the same chance as others on a quorum, so a failure after one is no failure.
 */
@ExtendWith(InvalidAfterPause.class)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
abstract class LeadershipContract {

    /** No test waits for that long: what comes next comes since somebody gave way. */
    private static final Duration LONG = Duration.ofHours(1);

    /** It has to be renewed, so it may be lost at any time on a machine that stands still. */
    private static final Duration SHORT = Duration.ofSeconds(2);

    private static final int ROUNDS = 4;

    private final String role = "role-" + UUID.randomUUID();
    private final List<Instance> instances = new CopyOnWriteArrayList<>();

    /** What is told by all instances, in the order in which it was. */
    private final BlockingQueue<Told> reported = new LinkedBlockingQueue<>();

    record Told(Instance who, boolean elected, Term term, boolean anotherLed) {}

    /** {@return a client's store, on the servers that it shares with the others} */
    abstract LockStore store();

    final class Instance {

        final StoreSpy store = new StoreSpy(store());
        final LockEngine locks = LockEngine.builder(store).build();
        final LeaderElection election = LeaderElection.on(locks);
        final Leadership leadership;

        Instance(Duration lease) {
            leadership = election.join(role, LockRequest.of("leader:" + role).lease(lease));
            instances.add(this);
            leadership.onElected(term -> reported.add(new Told(this, true, term, anotherLeadsBeside(term))));
            leadership.onRevoked(term -> reported.add(new Told(this, false, term, false)));
            election.start();
        }

        /** If this is told late, the term may be over. */
        private boolean anotherLeadsBeside(Term term) {
            return instances.stream().anyMatch(each -> each != this && each.leadership.isLeader())
                    && leadership.term().filter(term::equals).isPresent();
        }
    }

    @AfterEach
    void end() {
        instances.forEach(each -> each.election.close());
        instances.forEach(each -> each.locks.close());
    }

    private Told next() throws InterruptedException {
        Told next = reported.poll(2, TimeUnit.MINUTES);
        assertThat(next).isNotNull();
        assertThat(next.anotherLed()).isFalse();
        return next;
    }

    private Term elected(Instance who) throws InterruptedException {
        Told next = next();
        assertThat(next.who()).isSameAs(who);
        assertThat(next.elected()).isTrue();
        return next.term();
    }

    private Term revoked(Instance who) throws InterruptedException {
        Told next = next();
        assertThat(next.who()).isSameAs(who);
        assertThat(next.elected()).isFalse();
        return next.term();
    }

    /** One that leads, and one that waits. */
    private List<Instance> two(Duration leaseOfTheFirst) throws InterruptedException {
        Instance first = new Instance(leaseOfTheFirst);
        elected(first);
        Instance second = new Instance(LONG);
        awaitCandidate(second);
        return List.of(first, second);
    }

    private void awaitCandidate(Instance who) {
        Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .until(() -> !who.locks.waiting().isEmpty());
    }

    @Test
    void one_instance_leads_and_everybody_can_see_which() throws InterruptedException {
        List<Instance> two = two(LONG);
        Leadership leader = two.get(0).leadership;
        assertThat(leader.isLeader()).isTrue();
        assertThat(two.get(1).leadership.isLeader()).isFalse();
        assertThat(two.get(1).leadership.leader())
                .map(LockHolder::fencingToken)
                .isEqualTo(leader.term().map(Term::fencingToken));
    }

    @Test
    void instance_that_stops_hands_over_without_waiting_for_a_lease() throws Exception {
        List<Instance> two = two(LONG);
        two.get(0).election.stop().get(1, TimeUnit.MINUTES);
        Term former = revoked(two.get(0));
        Term next = elected(two.get(1));
        assertThat(next.fencingToken()).isGreaterThan(former.fencingToken());
        assertThat(two.get(0).leadership.isLeader()).isFalse();
    }

    @Test
    void one_who_resigns_comes_after_the_others() throws InterruptedException {
        List<Instance> two = two(LONG);
        long token = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Instance leader = two.get(i % 2);
            assertThat(leader.leadership.resign()).isTrue();
            revoked(leader);
            Term next = elected(two.get((i + 1) % 2));
            assertThat(next.fencingToken()).isGreaterThan(token);
            token = next.fencingToken();
            awaitCandidate(leader);
        }
    }

    @Test
    void one_who_resigns_and_is_alone_leads_again() throws InterruptedException {
        Instance alone = new Instance(LONG);
        Term first = elected(alone);
        alone.leadership.resign();
        revoked(alone);
        assertThat(elected(alone).fencingToken()).isGreaterThan(first.fencingToken());
    }

    @Test
    void leader_that_cannot_reach_the_store_is_replaced_and_stands_again() throws InterruptedException {
        Instance lonely = new Instance(SHORT);
        elected(lonely);
        Instance other = new Instance(LONG);
        Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .until(() -> !other.locks.waiting().isEmpty() || other.leadership.isLeader());
        lonely.store.reachable(false);
        awaitReplaced(lonely, other);
        lonely.store.reachable(true);
        awaitCandidate(lonely);
        other.election.close();
        revoked(other);
        elected(lonely);
    }

    /** The former one may have lost its lease before, and led again; the end of its term may be told after its successor's election. */
    private void awaitReplaced(Instance former, Instance successor) throws InterruptedException {
        boolean replaced = false;
        for (int terms = 1; terms > 0 || !replaced; ) {
            Told next = next();
            if (next.who() == former) {
                terms += next.elected() ? 1 : -1;
            } else {
                assertThat(next.who()).isSameAs(successor);
                assertThat(next.elected()).isTrue();
                replaced = true;
            }
        }
    }

    @Test
    void client_that_is_closed_leads_no_more() throws InterruptedException {
        List<Instance> two = two(LONG);
        two.get(0).locks.close();
        assertThat(two.get(0).leadership.isLeader()).isFalse();
        List<Told> both = List.of(next(), next());
        assertThat(both).anyMatch(each -> each.who() == two.get(0) && !each.elected());
        assertThat(both).anyMatch(each -> each.who() == two.get(1) && each.elected());
    }

    @Test
    void client_that_is_suspended_leads_no_more_and_stands_again_when_it_is_resumed() throws InterruptedException {
        Instance instance = new Instance(LONG);
        elected(instance);
        instance.locks.suspend(Duration.ZERO);
        assertThat(instance.leadership.isLeader()).isFalse();
        revoked(instance);
        instance.locks.resume();
        elected(instance);
    }
}
