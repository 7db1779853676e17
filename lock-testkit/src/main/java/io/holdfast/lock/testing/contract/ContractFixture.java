package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.Followers;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.Waiters;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** One lock of a store, the owners that want it, and short methods for their actions. */
abstract class ContractFixture {

    static final Duration LEASE = Duration.ofSeconds(30);

    /** Twice this time exceeds a lease. The rest leaves time for a real clock, which keeps running, however slow the machine is. */
    static final Duration MOST_OF_LEASE = LEASE.multipliedBy(2).dividedBy(3);

    static final Duration REST_OF_LEASE = LEASE.minus(MOST_OF_LEASE);

    /** An entry survives this time once, but not twice. The other half leaves time for a real clock, which keeps running. */
    static final Duration HALF_ENTRY_TIMEOUT = LockStore.ENTRY_TIMEOUT.dividedBy(2);

    static final HolderInfo HERE = new HolderInfo("web-1", 4711, "worker-1");
    static final String TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    static final int EXCLUSIVE = AcquireRequest.EXCLUSIVE;
    static final int UNLIMITED = Integer.MAX_VALUE;

    final LockKey key = LockKey.of("contract:" + UUID.randomUUID());
    final OwnerId alice = owner("alice");
    final OwnerId bob = owner("bob");
    final OwnerId carol = owner("carol");
    final OwnerId dave = owner("dave");
    final OwnerId erin = owner("erin");

    private final StoreUnderTest subject;

    ContractFixture(StoreUnderTest subject) {
        this.subject = subject;
    }

    private static OwnerId owner(String name) {
        return new OwnerId(name + System.nanoTime(), 1);
    }

    /** Another acquisition by the same client. */
    static OwnerId next(OwnerId owner) {
        return new OwnerId(owner.clientId(), owner.sequence() + 1);
    }

    final LockStore store() {
        return subject.store();
    }

    final LockKey beside(String suffix) {
        return subject.beside(key, suffix);
    }

    final ReleaseReply notHolder() {
        return subject.notHolder();
    }

    final boolean offers(OptionalCall call) {
        return subject.offers().contains(call);
    }

    /** Skips the test if the store neither supports an optional call nor declares it in {@code offers()}. */
    final void needs(OptionalCall call, boolean carriedOut) {
        assertThat(carriedOut || !offers(call))
                .as("the store supports %s, as declared by offers()", call)
                .isTrue();
        assumeThat(carriedOut).isTrue();
    }

    final void pass(Duration time) {
        subject.pass(key, time);
    }

    /** Lets a reservation that was just made lapse, while the given owners keep their entries. */
    final void lapse(OwnerId... kept) {
        pass(HALF_ENTRY_TIMEOUT);
        keepEntries(kept);
        pass(HALF_ENTRY_TIMEOUT);
    }

    /** One try to acquire the exclusive lock, with one token. */
    final AcquireReply acquire(OwnerId owner, Duration lease, boolean waiting) {
        return acquire(owner, lease, EXCLUSIVE, waiting);
    }

    final AcquireReply acquire(OwnerId owner, Duration lease, int limit, boolean waiting) {
        return store().acquire(
                        new AcquireRequest(key, owner, lease.toMillis(), HERE, limit, 1, false, waiting, 1, 0, false));
    }

    /** One try from a span. */
    final void acquireIn(OwnerId owner, String traceparent, int limit) {
        granted(store().acquire(new AcquireRequest(
                key, owner, LEASE.toMillis(), HERE.in(traceparent), limit, 1, false, false, 1, 0, false)));
    }

    final AcquireReply tryOnce(OwnerId owner) {
        return acquire(owner, LEASE, false);
    }

    final AcquireReply tryShared(OwnerId owner, int limit) {
        return acquire(owner, LEASE, limit, false);
    }

    static AcquireRequest oneTry(LockKey lock, OwnerId owner) {
        return new AcquireRequest(lock, owner, LEASE.toMillis(), HERE, EXCLUSIVE, 1, false, false, 1, 0, false);
    }

    /** One of several locks to be acquired together, by a caller that goes on to wait. */
    static AcquireRequest oneOfMany(LockKey lock, OwnerId owner) {
        return new AcquireRequest(lock, owner, LEASE.toMillis(), HERE, EXCLUSIVE, 1, false, true, 1, 0, false);
    }

    /** One try that reserves several tokens. */
    final AcquireReply tryForTokens(OwnerId owner, int limit, long tokens) {
        return store().acquire(new AcquireRequest(
                key, owner, LEASE.toMillis(), HERE, limit, 1, false, false, tokens, 0, false));
    }

    final long granted(OwnerId owner) {
        return granted(tryOnce(owner));
    }

    final AcquireReply tryWeighted(OwnerId owner, int limit, int weight, boolean waiting) {
        return store().acquire(new AcquireRequest(
                key, owner, LEASE.toMillis(), HERE, limit, weight, false, waiting, 1, 0, false));
    }

    final long shared(OwnerId owner, int limit) {
        return granted(tryShared(owner, limit));
    }

    /** A server of a quorum may receive the request of the former owner only after that of the next one, which then skips a token. */
    final void grantedNext(long token, AcquireReply reply) {
        assertThat(granted(reply)).isBetween(token, subject.mayRaiseTokens() ? token + 3 : token);
    }

    /** The token that a holder gets when it requests again what it holds with the given token. */
    final long grantedAgain(long token, AcquireReply reply) {
        long again = granted(reply);
        assertSameGrant(token, again);
        return again;
    }

    /** A server of a quorum that was not awaited may have chosen a higher token, until it learns of the one that was granted. */
    final void assertSameGrant(long token, long seen) {
        if (subject.mayRaiseTokens()) {
            assertThat(seen).isGreaterThanOrEqualTo(token);
        } else {
            assertThat(seen).isEqualTo(token);
        }
    }

    static long granted(AcquireReply reply) {
        assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
        return ((AcquireReply.Granted) reply).token();
    }

    static Waiters waiters(AcquireReply reply) {
        assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
        return ((AcquireReply.Granted) reply).waiters();
    }

    static LockHolder held(AcquireReply reply) {
        assertThat(refused(reply).holder()).isPresent();
        return refused(reply).holder().orElseThrow();
    }

    /** Asserts that the lock is reserved for somebody else. */
    static void reservedForAnother(AcquireReply reply) {
        assertThat(refused(reply).holder()).isPresent();
        assertThat(refused(reply).blockedFor()).isPositive().isLessThanOrEqualTo(LockStore.RESERVATION);
    }

    static AcquireReply.Held refused(AcquireReply reply) {
        assertThat(reply).isInstanceOf(AcquireReply.Held.class);
        return (AcquireReply.Held) reply;
    }

    final void queue(OwnerId... owners) {
        for (OwnerId owner : owners) {
            refused(acquire(owner, LEASE, true));
        }
    }

    final void queueShared(int limit, OwnerId... owners) {
        for (OwnerId owner : owners) {
            refused(acquire(owner, LEASE, limit, true));
        }
    }

    final void queueFair(OwnerId owner) {
        refused(store().acquire(
                        new AcquireRequest(key, owner, LEASE.toMillis(), HERE, EXCLUSIVE, 1, true, true, 1, 0, false)));
    }

    final EntryReply.Kept keepEntries(OwnerId... owners) {
        EntryReply reply = store().keepEntries(List.of(new EntryRequest(key, List.of(owners), Map.of())))
                .get(0);
        assertThat(reply).isInstanceOf(EntryReply.Kept.class);
        return (EntryReply.Kept) reply;
    }

    /** The owners for which the lock is reserved; keeps the entries of all given owners alive. */
    final List<OwnerId> called(OwnerId... owners) {
        return keepEntries(owners).called();
    }

    final void released(OwnerId owner) {
        released(owner, EXCLUSIVE);
    }

    /** Only with the limit does a quorum release it on as many servers as the next permit needs, before the call returns. */
    final void released(OwnerId owner, int limit) {
        ReleaseRequest request = new ReleaseRequest(
                key, owner, Duration.ZERO, ReleaseRequest.ALL_TOKENS, ReleaseRequest.UNKNOWN_LEASE, limit);
        // A server of a quorum that has not granted it yet does not hold it, which counts as released if calls may be
        // repeated.
        boolean mayBeGone = subject.mayRaiseTokens() && notHolder() == ReleaseReply.GONE;
        assertThat(store().release(request))
                .isIn(ReleaseReply.RELEASED, mayBeGone ? ReleaseReply.GONE : ReleaseReply.RELEASED);
    }

    final ReleaseReply release(OwnerId owner) {
        return store().release(new ReleaseRequest(key, owner));
    }

    final ReleaseReply releaseLater(OwnerId owner, Duration keep) {
        return store().release(new ReleaseRequest(key, owner, keep, 0, ReleaseRequest.UNKNOWN_LEASE, EXCLUSIVE));
    }

    final void leave(OwnerId owner) {
        store().leave(key, owner, Duration.ZERO, ReleaseRequest.ALL_TOKENS);
    }

    final RenewReply renew(OwnerId owner, Duration lease) {
        return store().renew(List.of(renewal(key, owner, lease.toMillis()))).get(0);
    }

    static RenewRequest renewal(LockKey key, OwnerId owner, long leaseMillis) {
        return new RenewRequest(key, owner, leaseMillis, EXCLUSIVE, Followers.NONE);
    }

    /** A renewal by a holder with callers in line behind it. */
    final RenewRequest renewal(OwnerId owner, int followers, Duration waited) {
        return new RenewRequest(key, owner, LEASE.toMillis(), EXCLUSIVE, new Followers(followers, waited));
    }

    final Duration remaining() {
        return store().inspect(key).holder().orElseThrow().remaining();
    }

    final List<String> holders() {
        return store().inspect(key).holders().stream().map(LockHolder::clientId).toList();
    }
}
