package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several locks in one call, where others wait for one of them. */
abstract class JointQueueContract extends ContractFixture {

    JointQueueContract(StoreUnderTest subject) {
        super(subject);
    }

    private AcquireAllReply tryBoth(OwnerId first) {
        return store().acquireAll(List.of(oneOfMany(beside(":2"), first), oneOfMany(key, next(first))));
    }

    @Test
    void lock_that_is_reserved_for_somebody_refuses_all() {
        granted(alice);
        queue(bob);
        released(alice);

        assertThat(tryBoth(carol)).isNotInstanceOf(AcquireAllReply.Granted.class);

        assertThat(store().inspect(beside(":2")).holders()).isEmpty();
        assertThat(called(bob)).containsExactly(bob);
    }

    @Test
    void lock_that_is_released_with_others_goes_to_who_waits_for_it() {
        LockKey second = beside(":2");
        granted(alice);
        granted(store().acquire(oneTry(second, next(alice))));
        queue(bob);

        store().releaseAll(List.of(new ReleaseRequest(second, next(alice)), new ReleaseRequest(key, alice)))
                .forEach(pending -> assertThat(pending.await()).isEqualTo(ReleaseReply.RELEASED));

        assertThat(called(bob)).containsExactly(bob);
        granted(bob);
    }

    @Test
    void reader_does_not_pass_a_writer_that_waits() {
        shared(alice, UNLIMITED);
        queue(bob);
        AcquireRequest reader =
                new AcquireRequest(key, next(carol), LEASE.toMillis(), HERE, UNLIMITED, 1, false, true, 1, 0, false);

        assertThat(store().acquireAll(List.of(oneOfMany(beside(":2"), carol), reader)))
                .isNotInstanceOf(AcquireAllReply.Granted.class);

        assertThat(holders()).containsExactly(alice.clientId());
    }

    @Test
    void refused_call_leaves_no_queue_entry() {
        granted(alice);

        assertThat(tryBoth(carol)).isNotInstanceOf(AcquireAllReply.Granted.class);

        assertThat(store().inspect(key).waiters()).isZero();
        assertThat(store().inspect(beside(":2")).waiters()).isZero();
        released(alice);
        granted(bob);
    }

    @Test
    void lock_that_somebody_waits_for_refuses_all_and_stays_his() {
        granted(alice);
        queue(bob);

        assertThat(tryBoth(carol)).isNotInstanceOf(AcquireAllReply.Granted.class);

        released(alice);
        assertThat(called(bob)).containsExactly(bob);
        assertThat(store().inspect(beside(":2")).holders()).isEmpty();
    }
}
