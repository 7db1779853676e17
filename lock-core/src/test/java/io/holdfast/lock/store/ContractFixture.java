package io.holdfast.lock.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** A store, two owners, one key. */
public abstract class ContractFixture {

    protected static final Duration LEASE = Duration.ofSeconds(30);
    static final HolderInfo HERE = new HolderInfo("web-1", 4711, "worker-1");

    protected final LockKey key = LockKey.of("contract:" + UUID.randomUUID());
    final OwnerId alice = new OwnerId("alice" + System.nanoTime(), 1);
    final OwnerId bob = new OwnerId("bob" + System.nanoTime(), 1);

    protected abstract LockStore store();

    /** Lets the store's time pass for the test's own lock. */
    protected abstract void pass(Duration time);

    final AcquireReply acquire(OwnerId owner, Duration lease, boolean waiting) {
        return store().acquire(new AcquireRequest(key, owner, lease.toMillis(), HERE, waiting));
    }

    final long granted(OwnerId owner) {
        return granted(acquire(owner, LEASE, false));
    }

    static long granted(AcquireReply reply) {
        assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
        return ((AcquireReply.Granted) reply).token();
    }

    static LockHolder held(AcquireReply reply) {
        assertThat(reply).isInstanceOf(AcquireReply.Held.class);
        return ((AcquireReply.Held) reply).holder();
    }

    final RenewReply renew(OwnerId owner, Duration lease) {
        return store().renew(List.of(new RenewRequest(key, owner, lease.toMillis())))
                .get(0);
    }

    final Duration remaining() {
        return store().inspect(key).holder().orElseThrow().remaining();
    }
}
