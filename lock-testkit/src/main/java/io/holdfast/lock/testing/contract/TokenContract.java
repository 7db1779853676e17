package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Fencing tokens, one by one and in blocks. */
abstract class TokenContract extends ContractFixture {

    /** As many as there are microseconds in 20 s, so that the store's clock does not catch up during a test. */
    private static final long BLOCK = Duration.ofSeconds(20).toMillis() * 1000;

    TokenContract(StoreUnderTest subject) {
        super(subject);
    }

    @Test
    void last_fencing_token_is_known_after_release() {
        long token = granted(alice);
        release(alice);

        assertThat(store().inspect(key).lastFencingToken()).isEqualTo(token);
    }

    @Test
    void tokens_strictly_increase_over_grants() {
        long last = 0;
        for (int i = 0; i < 100; i++) {
            OwnerId owner = new OwnerId(alice.clientId(), 100 + i);
            long token = granted(owner);
            assertThat(token).isGreaterThan(last);
            last = token;
            if (i % 2 == 0) {
                release(owner);
            } else {
                pass(LEASE);
            }
        }
    }

    @Test
    void tokens_increase_over_shared_grants_too() {
        long first = shared(alice, UNLIMITED);
        long second = shared(bob, UNLIMITED);
        released(alice);
        released(bob);

        assertThat(second).isGreaterThan(first);
        assertThat(granted(carol)).isGreaterThan(second);
    }

    @Test
    void grant_says_how_many_tokens_it_reserved() {
        AcquireReply alone = tryForTokens(alice, EXCLUSIVE, BLOCK);
        assertThat(((AcquireReply.Granted) alone).tokens()).isEqualTo(BLOCK);
        released(alice);

        AcquireReply shared = tryForTokens(bob, UNLIMITED, BLOCK);
        assertThat(((AcquireReply.Granted) shared).tokens()).isEqualTo(1);
    }

    @Test
    void reserved_tokens_are_not_granted_to_others() {
        long first = granted(tryForTokens(alice, EXCLUSIVE, BLOCK));
        assertThat(lastFencingToken()).isEqualTo(first + BLOCK - 1);
        released(alice);

        assertThat(granted(bob)).isGreaterThanOrEqualTo(first + BLOCK);
    }

    @Test
    void reserved_tokens_are_not_granted_to_others_after_the_lease_ended() {
        long first = granted(tryForTokens(alice, EXCLUSIVE, LEASE.toMillis() * 1000));
        pass(LEASE);

        assertThat(granted(bob)).isGreaterThanOrEqualTo(first + LEASE.toMillis() * 1000);
    }

    @Test
    void tokens_that_were_not_used_are_given_back() {
        long first = granted(tryForTokens(alice, EXCLUSIVE, BLOCK));

        releaseWithLastFencingToken(alice, first + 5);

        assertThat(lastFencingToken()).isEqualTo(first + 5);
        assertThat(granted(bob)).isBetween(first + 6, first + BLOCK - 1);
    }

    @Test
    void tokens_that_were_not_used_are_given_back_by_a_release_that_keeps_the_lock() {
        long first = granted(tryForTokens(alice, EXCLUSIVE, BLOCK));

        store().release(new ReleaseRequest(
                key, alice, Duration.ofSeconds(1), first + 5, ReleaseRequest.UNKNOWN_LEASE, EXCLUSIVE));

        assertThat(lastFencingToken()).isEqualTo(first + 5);
    }

    @Test
    void tokens_that_were_not_used_are_given_back_after_the_lease_ended_as_long_as_nobody_came() {
        long first = granted(tryForTokens(alice, EXCLUSIVE, BLOCK));
        pass(LEASE);

        releaseWithLastFencingToken(alice, first + 5);

        assertThat(lastFencingToken()).isEqualTo(first + 5);
    }

    @Test
    void tokens_that_were_there_before_the_grant_are_not_given_back() {
        long before = granted(tryForTokens(alice, EXCLUSIVE, BLOCK)) + BLOCK / 2;
        releaseWithLastFencingToken(alice, before);
        granted(tryForTokens(bob, EXCLUSIVE, BLOCK));

        releaseWithLastFencingToken(bob, before - 500);

        assertThat(lastFencingToken()).isEqualTo(before);
        assertThat(granted(carol)).isGreaterThan(before);
    }

    @Test
    void tokens_of_a_grant_that_nobody_used_are_given_back() {
        long first = granted(tryForTokens(alice, EXCLUSIVE, BLOCK));

        store().release(ReleaseRequest.unused(key, alice));

        assertThat(lastFencingToken()).isEqualTo(first - 1);
    }

    @Test
    void tokens_are_given_back_by_who_leaves_unless_they_count_as_used() {
        long first = granted(tryForTokens(alice, EXCLUSIVE, BLOCK));
        store().leave(key, alice, Duration.ZERO, ReleaseRequest.NO_TOKEN);
        assertThat(lastFencingToken()).isEqualTo(first - 1);

        long second = granted(tryForTokens(bob, EXCLUSIVE, BLOCK));
        store().leave(key, bob, LEASE, second + 5);
        assertThat(lastFencingToken()).isEqualTo(second + 5);

        long third = granted(tryForTokens(carol, EXCLUSIVE, BLOCK));
        store().leave(key, carol, Duration.ZERO, ReleaseRequest.ALL_TOKENS);
        assertThat(lastFencingToken()).isEqualTo(third + BLOCK - 1);
    }

    @Test
    void who_leaves_gives_no_tokens_of_others_back() {
        long first = granted(tryForTokens(alice, EXCLUSIVE, BLOCK));

        store().leave(key, bob, Duration.ZERO, ReleaseRequest.NO_TOKEN);

        assertThat(lastFencingToken()).isEqualTo(first + BLOCK - 1);
    }

    @Test
    void tokens_are_given_back_by_a_writer_who_goes_on_as_a_reader() {
        long first = granted(tryForTokens(alice, EXCLUSIVE, BLOCK));

        store().downgrade(key, alice, first + 5);

        assertThat(lastFencingToken()).isEqualTo(first + 5);
        assertThat(shared(bob, UNLIMITED)).isGreaterThan(first + 5);
    }

    @Test
    void reader_keeps_the_token_that_it_had_as_a_writer_whatever_it_says_that_it_used() {
        long first = granted(tryForTokens(alice, EXCLUSIVE, BLOCK));

        store().downgrade(key, alice, first - 500);

        assertThat(lastFencingToken()).isEqualTo(first);
    }

    @Test
    void stranger_gives_no_tokens_back() {
        long first = granted(tryForTokens(alice, EXCLUSIVE, BLOCK));

        releaseWithLastFencingToken(bob, first);

        assertThat(lastFencingToken()).isEqualTo(first + BLOCK - 1);
    }

    @Test
    void acquire_that_is_sent_twice_is_granted_the_same_tokens() {
        long first = granted(tryForTokens(alice, EXCLUSIVE, BLOCK));

        long again = grantedAgain(first, tryForTokens(alice, EXCLUSIVE, BLOCK));
        assertThat(lastFencingToken()).isEqualTo(again + BLOCK - 1);
    }

    @Test
    void shared_grant_reserves_one_token() {
        long first = granted(tryForTokens(alice, UNLIMITED, BLOCK));

        assertThat(lastFencingToken()).isEqualTo(first);
    }

    @Test
    void tokens_are_not_given_back_once_others_may_have_later_ones() {
        long first = granted(tryForTokens(alice, EXCLUSIVE, BLOCK));
        store().downgrade(key, alice, ReleaseRequest.ALL_TOKENS);
        long second = shared(bob, UNLIMITED);
        assertThat(second).isGreaterThanOrEqualTo(first + BLOCK);

        releaseWithLastFencingToken(alice, first);

        assertThat(lastFencingToken()).isEqualTo(second);
    }

    @Test
    void grant_has_the_least_token_that_was_asked_for() {
        long ahead = granted(alice) + BLOCK;
        released(alice);

        assertThat(granted(askFor(bob, EXCLUSIVE, 1, ahead, false))).isEqualTo(ahead);
        released(bob);
        grantedNext(ahead + 1, askFor(carol, EXCLUSIVE, 1, ahead, false));
    }

    @Test
    void grant_reserves_its_tokens_from_the_least_one_on() {
        long ahead = granted(alice) + BLOCK;
        released(alice);

        assertThat(granted(askFor(bob, EXCLUSIVE, 10, ahead, false))).isEqualTo(ahead);

        assertThat(lastFencingToken()).isEqualTo(ahead + 9);
    }

    @Test
    void shared_grant_has_the_least_token_that_was_asked_for() {
        long ahead = shared(alice, UNLIMITED) + BLOCK;

        assertThat(granted(askFor(bob, UNLIMITED, 1, ahead, false))).isEqualTo(ahead);
        grantedNext(ahead + 1, askFor(carol, UNLIMITED, 1, ahead, false));
    }

    @Test
    void holder_keeps_its_token_whatever_it_asks_for_unless_it_is_to_be_raised() {
        long token = grantedAgain(granted(alice), tryForTokens(alice, EXCLUSIVE, 1));

        long again = grantedAgain(token, askFor(alice, EXCLUSIVE, 1, token + BLOCK, false));
        assertThat(again).isLessThan(token + BLOCK);
        assertThat(lastFencingToken()).isEqualTo(again);
    }

    @Test
    void token_of_a_holder_is_raised_together_with_those_that_it_reserved() {
        long token = granted(tryForTokens(alice, EXCLUSIVE, 10));

        long raised = token + BLOCK;
        assertThat(granted(askFor(alice, EXCLUSIVE, 10, raised, true))).isEqualTo(raised);
        assertThat(lastFencingToken()).isEqualTo(raised + 9);
        assertThat(granted(askFor(alice, EXCLUSIVE, 10, raised, true))).isEqualTo(raised);
        assertThat(granted(askFor(alice, EXCLUSIVE, 10, token, true))).isEqualTo(raised);
        assertThat(store().inspect(key).holder().orElseThrow().fencingToken()).isEqualTo(raised);
    }

    @Test
    void token_of_a_reader_is_raised_above_those_of_the_others() {
        long first = shared(alice, UNLIMITED);
        long second = shared(bob, UNLIMITED);

        long raised = granted(askFor(alice, UNLIMITED, 1, second, true));

        assertThat(raised).isGreaterThan(second);
        assertThat(lastFencingToken()).isGreaterThanOrEqualTo(raised);
        grantedAgain(raised, askFor(alice, UNLIMITED, 1, first, true));
    }

    private AcquireReply askFor(OwnerId owner, int limit, long tokens, long least, boolean raise) {
        return store().acquire(new AcquireRequest(
                key, owner, LEASE.toMillis(), HERE, limit, 1, false, false, tokens, least, raise));
    }

    private void releaseWithLastFencingToken(OwnerId owner, long lastFencingToken) {
        store().release(new ReleaseRequest(
                key, owner, Duration.ZERO, lastFencingToken, ReleaseRequest.UNKNOWN_LEASE, EXCLUSIVE));
    }

    private long lastFencingToken() {
        return store().inspect(key).lastFencingToken();
    }
}
