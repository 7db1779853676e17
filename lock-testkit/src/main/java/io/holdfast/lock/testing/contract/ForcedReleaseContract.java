package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.store.RenewReply;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A lock that is released by somebody else. */
abstract class ForcedReleaseContract extends ContractFixture {

    ForcedReleaseContract(StoreUnderTest subject) {
        super(subject);
    }

    @Test
    void forced_release_frees_the_lock_and_names_who_held_it() {
        long token = granted(alice);

        assertThat(store().forceRelease(key)).singleElement().satisfies(holder -> {
            assertThat(holder.clientId()).isEqualTo(alice.clientId());
            assertThat(holder.fencingToken()).isEqualTo(token);
        });

        assertThat(renew(alice, LEASE)).isInstanceOf(RenewReply.NotHolder.class);
        assertThat(granted(bob)).isGreaterThan(token);
    }

    @Test
    void writer_keeps_the_lock_when_readers_lose_theirs_by_force() {
        granted(alice);

        assertThat(store().forceRelease(key, Set.of(LockMode.SHARED))).isEmpty();

        assertThat(renew(alice, LEASE)).isInstanceOf(RenewReply.Renewed.class);
        assertThat(store().forceRelease(key, Set.of(LockMode.EXCLUSIVE)))
                .extracting(LockHolder::clientId)
                .containsExactly(alice.clientId());
        assertThat(renew(alice, LEASE)).isInstanceOf(RenewReply.NotHolder.class);
    }

    @Test
    void readers_keep_the_lock_when_a_writer_loses_it_by_force() {
        shared(alice, 2);
        shared(bob, 2);

        assertThat(store().forceRelease(key, Set.of(LockMode.EXCLUSIVE))).isEmpty();

        assertThat(renew(alice, LEASE)).isInstanceOf(RenewReply.Renewed.class);
        assertThat(store().forceRelease(key, Set.of(LockMode.SHARED)))
                .extracting(LockHolder::clientId)
                .containsExactlyInAnyOrder(alice.clientId(), bob.clientId());
        assertThat(renew(bob, LEASE)).isInstanceOf(RenewReply.NotHolder.class);
    }

    @Test
    void forced_release_of_a_free_lock_finds_nobody() {
        granted(alice);
        pass(LEASE);

        assertThat(store().forceRelease(key)).isEmpty();
    }
}
