package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A writer that becomes a reader. */
abstract class DowngradeContract extends ContractFixture {

    private static final Duration SHORT = Duration.ofSeconds(2);

    DowngradeContract(StoreUnderTest subject) {
        super(subject);
    }

    @Test
    void downgraded_lock_is_shared_and_keeps_its_token_and_lease() {
        long token = granted(alice);
        renew(alice, Duration.ofMinutes(10));

        assertThat(store().downgrade(key, alice, ReleaseRequest.ALL_TOKENS)).isEqualTo(ReleaseReply.RELEASED);

        assertThat(store().inspect(key).holder()).hasValueSatisfying(holder -> {
            assertThat(holder.clientId()).isEqualTo(alice.clientId());
            assertThat(holder.mode()).isEqualTo(LockMode.SHARED);
            assertThat(holder.fencingToken()).isEqualTo(token);
            assertThat(holder.remaining()).isGreaterThan(Duration.ofMinutes(9));
        });
        shared(bob, UNLIMITED);
        held(tryOnce(carol));
    }

    @Test
    void downgraded_lock_keeps_the_first_of_the_tokens_that_it_reserved() {
        long token = granted(tryForTokens(alice, EXCLUSIVE, 10));

        store().downgrade(key, alice, ReleaseRequest.ALL_TOKENS);

        assertThat(store().inspect(key).holder().orElseThrow().fencingToken()).isEqualTo(token);
    }

    @Test
    void downgrade_that_is_sent_twice_is_answered_twice() {
        granted(alice);
        store().downgrade(key, alice, ReleaseRequest.ALL_TOKENS);

        assertThat(store().downgrade(key, alice, ReleaseRequest.ALL_TOKENS)).isEqualTo(ReleaseReply.RELEASED);

        assertThat(holders()).containsExactly(alice.clientId());
    }

    @Test
    void downgraded_lock_is_renewed_and_released_like_any_other() {
        granted(alice);
        store().downgrade(key, alice, ReleaseRequest.ALL_TOKENS);

        assertThat(renew(alice, LEASE)).isInstanceOf(RenewReply.Renewed.class);
        released(alice);

        granted(bob);
    }

    @Test
    void stranger_downgrades_nothing() {
        granted(alice);

        assertThat(store().downgrade(key, bob, ReleaseRequest.ALL_TOKENS)).isEqualTo(ReleaseReply.NOT_HOLDER);

        held(tryShared(bob, UNLIMITED));
    }

    @Test
    void lock_whose_lease_has_ended_is_not_downgraded() {
        granted(alice);
        pass(LEASE);

        assertThat(store().downgrade(key, alice, ReleaseRequest.ALL_TOKENS)).isEqualTo(ReleaseReply.NOT_HOLDER);

        granted(bob);
    }

    @Test
    void downgraded_lock_whose_lease_has_ended_is_not_held() {
        acquire(alice, SHORT, false);
        store().downgrade(key, alice, ReleaseRequest.ALL_TOKENS);
        pass(SHORT);

        assertThat(store().downgrade(key, alice, ReleaseRequest.ALL_TOKENS)).isEqualTo(ReleaseReply.NOT_HOLDER);

        granted(bob);
    }
}
