package io.holdfast.lock.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which hints a store sends, and to whom. They may arrive late, so each test ends by waiting for a last one. */
abstract class WakeContract extends ContractFixture {

    private static final long BLOCK = 1000;
    private static final long LAST = 1_000_000;

    private final List<LockStore.Listening> listening = new ArrayList<>();

    WakeContract(StoreUnderTest subject) {
        super(subject);
    }

    @AfterEach
    void stopListening() {
        listening.forEach(LockStore.Listening::close);
    }

    private ReceivedMessages listen(OwnerId owner) {
        ReceivedMessages received = new ReceivedMessages();
        listening.add(store().listen(owner.clientId(), received));
        received.awaitConnected();
        return received;
    }

    /**
     * The client receives these hints, and no other before a final one on another lock, which may overtake them where locks have channels of
     * their own.
     */
    private void assertReceived(OwnerId client, ReceivedMessages hints, List<ReceivedMessages.Received> expected) {
        LockKey other = beside(":last:" + client);
        OwnerId last = new OwnerId(client.clientId(), LAST);
        OwnerId holder = new OwnerId(client.clientId(), LAST + 1);
        store().acquire(oneTry(other, holder));
        store().acquire(new AcquireRequest(
                other, last, LEASE.toMillis(), HERE, EXCLUSIVE, 1, false, true, 1, 0, false));
        store().release(new ReleaseRequest(other, holder));
        hints.awaitHint(ReceivedMessages.Received.called(last));
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .untilAsserted(() -> assertThat(hints.all().stream()
                                .filter(hint -> hint.sequence() < LAST)
                                .toList())
                        .isEqualTo(expected));
    }

    private static ReceivedMessages.Received awaited(OwnerId owner, Waiters waiters) {
        return ReceivedMessages.Received.awaited(owner, waiters);
    }

    private static List<ReceivedMessages.Received> called(OwnerId owner) {
        return List.of(ReceivedMessages.Received.called(owner));
    }

    @Test
    void waiter_is_called_when_the_lock_is_released() {
        ReceivedMessages bobs = listen(bob);
        granted(alice);
        queue(bob, carol);

        released(alice);

        assertReceived(bob, bobs, called(bob));
    }

    @Test
    void nobody_is_called_who_is_not_next() {
        ReceivedMessages bobs = listen(bob);
        ReceivedMessages carols = listen(carol);
        granted(alice);
        queue(bob, carol);
        assertReceived(bob, bobs, List.of());

        released(alice);

        assertReceived(carol, carols, List.of());
    }

    @Test
    void waiter_is_called_when_the_holder_is_undone() {
        ReceivedMessages bobs = listen(bob);
        granted(alice);
        queue(bob);

        store().leave(key, alice, LEASE, ReleaseRequest.ALL_TOKENS);

        assertReceived(bob, bobs, called(bob));
    }

    @Test
    void waiter_is_called_when_the_one_before_it_leaves() {
        ReceivedMessages carols = listen(carol);
        granted(alice);
        queue(bob, carol);
        released(alice);

        leave(bob);

        assertReceived(carol, carols, called(carol));
    }

    @Test
    void reader_is_called_when_the_writer_before_it_gives_up() {
        ReceivedMessages carols = listen(carol);
        shared(alice, UNLIMITED);
        queue(bob);
        queueShared(UNLIMITED, carol);

        held(tryOnce(bob));

        assertReceived(carol, carols, called(carol));
    }

    @Test
    void reader_is_called_when_somebody_finds_that_the_writer_before_it_died() {
        ReceivedMessages carols = listen(carol);
        shared(alice, UNLIMITED);
        queue(bob);
        pass(HALF_ENTRY_TIMEOUT);
        queueShared(UNLIMITED, carol);
        pass(HALF_ENTRY_TIMEOUT);

        keepEntries(dave);

        assertReceived(carol, carols, called(carol));
    }

    @Test
    void waiter_is_called_when_the_one_before_it_does_not_claim() {
        ReceivedMessages carols = listen(carol);
        granted(alice);
        queue(bob, carol);
        released(alice);
        lapse(carol);

        keepEntries(dave);

        assertReceived(carol, carols, called(carol));
    }

    @Test
    void waiter_is_called_when_the_lock_is_released_by_force() {
        ReceivedMessages bobs = listen(bob);
        granted(alice);
        queue(bob);

        store().forceRelease(key);

        assertReceived(bob, bobs, called(bob));
    }

    @Test
    void holder_is_told_that_its_lock_was_released_by_force() {
        ReceivedMessages alices = listen(alice);
        granted(alice);

        store().forceRelease(key);

        alices.awaitHint(ReceivedMessages.Received.revoked(alice));
    }

    @Test
    void readers_are_told_that_their_lock_was_released_by_force() {
        ReceivedMessages alices = listen(alice);
        ReceivedMessages bobs = listen(bob);
        shared(alice, UNLIMITED);
        shared(bob, UNLIMITED);

        store().forceRelease(key);

        alices.awaitHint(ReceivedMessages.Received.revoked(alice));
        bobs.awaitHint(ReceivedMessages.Received.revoked(bob));
    }

    @Test
    void waiter_is_called_by_whoever_finds_that_the_lease_has_ended() {
        ReceivedMessages bobs = listen(bob);
        acquire(alice, HALF_ENTRY_TIMEOUT, false);
        queue(bob);
        pass(HALF_ENTRY_TIMEOUT);

        tryOnce(carol);

        assertReceived(bob, bobs, called(bob));
    }

    @Test
    void all_readers_that_may_come_in_are_called() {
        ReceivedMessages bobs = listen(bob);
        ReceivedMessages carols = listen(carol);
        granted(alice);
        queueShared(UNLIMITED, bob, carol);

        store().downgrade(key, alice, ReleaseRequest.ALL_TOKENS);

        assertReceived(bob, bobs, called(bob));
        assertReceived(carol, carols, called(carol));
    }

    @Test
    void acquisition_is_called_by_its_own_number() {
        ReceivedMessages bobs = listen(bob);
        granted(alice);
        queue(next(bob), bob);

        released(alice);

        assertReceived(bob, bobs, called(next(bob)));
    }

    @Test
    void holder_of_many_tokens_is_told_of_the_first_waiter_only() {
        ReceivedMessages alices = listen(alice);
        granted(tryForTokens(alice, EXCLUSIVE, BLOCK));

        queue(bob, bob, carol);

        assertReceived(alice, alices, List.of(awaited(alice, Waiters.UNFAIR)));
    }

    @Test
    void holder_of_many_tokens_is_told_again_after_all_waiters_have_left() {
        ReceivedMessages alices = listen(alice);
        granted(tryForTokens(alice, EXCLUSIVE, BLOCK));
        queue(bob);
        leave(bob);

        queue(carol);

        assertReceived(alice, alices, List.of(awaited(alice, Waiters.UNFAIR), awaited(alice, Waiters.UNFAIR)));
    }

    @Test
    void holder_of_many_tokens_is_told_of_each_fair_waiter() {
        ReceivedMessages alices = listen(alice);
        granted(tryForTokens(alice, EXCLUSIVE, BLOCK));

        queue(bob);
        queueFair(carol);
        queueFair(carol);
        queueFair(dave);

        assertReceived(
                alice,
                alices,
                List.of(awaited(alice, Waiters.UNFAIR), awaited(alice, Waiters.FAIR), awaited(alice, Waiters.FAIR)));
    }

    @Test
    void holder_of_many_tokens_is_told_of_a_waiting_reader() {
        ReceivedMessages alices = listen(alice);
        granted(tryForTokens(alice, EXCLUSIVE, BLOCK));

        queueShared(UNLIMITED, bob);

        assertReceived(alice, alices, List.of(awaited(alice, Waiters.UNFAIR)));
    }

    @Test
    void holder_of_many_tokens_is_not_told_of_one_try() {
        ReceivedMessages alices = listen(alice);
        granted(tryForTokens(alice, EXCLUSIVE, BLOCK));

        held(tryOnce(bob));

        assertReceived(alice, alices, List.of());
    }

    @Test
    void holder_of_one_token_is_not_told_who_waits() {
        ReceivedMessages alices = listen(alice);
        granted(alice);

        queue(bob);
        queueFair(carol);

        assertReceived(alice, alices, List.of());
    }

    @Test
    void readers_are_not_told_who_waits() {
        ReceivedMessages alices = listen(alice);
        granted(tryForTokens(alice, UNLIMITED, BLOCK));

        queue(bob);

        assertReceived(alice, alices, List.of());
    }

    @Test
    void former_holder_is_not_told_who_waits_while_the_lock_is_kept() {
        ReceivedMessages alices = listen(alice);
        granted(tryForTokens(alice, EXCLUSIVE, BLOCK));
        releaseLater(alice, LEASE);

        queue(bob);

        assertReceived(alice, alices, List.of());
    }

    @Test
    void all_listeners_of_a_client_are_told() {
        ReceivedMessages one = listen(bob);
        ReceivedMessages another = listen(bob);
        granted(alice);
        queue(bob);

        released(alice);

        assertReceived(bob, one, called(bob));
        assertReceived(bob, another, called(bob));
    }

    @Test
    void closed_listener_hears_nothing_and_does_not_disturb_the_other() {
        ReceivedMessages closed = listen(bob);
        ReceivedMessages open = listen(bob);
        granted(alice);
        queue(bob);
        listening.get(0).close();

        released(alice);

        assertReceived(bob, open, called(bob));
        assertThat(closed.all()).isEmpty();
    }

    @Test
    void waiter_is_told_what_it_was_granted() {
        ReceivedMessages bobs = listen(bob);
        granted(alice);
        long asked = refused(acquire(bob, LEASE, true)).storeMicros();
        queue(carol);

        released(alice);

        assertReceived(bob, bobs, called(bob));
        Reservation granted = bobs.reservations().get(0);
        assertThat(granted.token())
                .isEqualTo(store().inspect(key).holder().orElseThrow().fencingToken());
        assertThat(granted.tokens()).isEqualTo(1);
        assertThat(granted.waiters()).isEqualTo(Waiters.UNFAIR);
        assertThat(granted.atMicros()).isGreaterThanOrEqualTo(asked);
        long lastsMicros = granted.untilMicros() - granted.atMicros();
        long sinceAsked = granted.atMicros() - asked;
        assertThat(lastsMicros + sinceAsked).isEqualTo(LockStore.RESERVATION.toMillis() * 1000);
    }
}
