package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each answer that says that the lock is not there yet tells the store's time, which decides what messages are worth. */
class StoreTimeOfAnswersTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final HolderInfo HERE = new HolderInfo("host", 1, "main");

    private final FakeTicker time = new FakeTicker();
    private final StoreSpy store = new StoreSpy(new InMemoryLockStore(time, time));
    private final EntryKeeper keeper = new EntryKeeper(store, "client", time, false, sequence -> {});
    private final QueueEntry entry = keeper.open(KEY, new OwnerId("client", 2));

    @BeforeEach
    void queue() {
        store.acquire(Requests.exclusive(KEY, new OwnerId("other", 1), 30_000, HERE, false));
        long askedAt = time.nanos();
        var held = (AcquireReply.Held) store.acquire(Requests.exclusive(KEY, entry.owner, 30_000, HERE, true));
        keeper.taken(entry, askedAt, held);
    }

    private long storeMicros() {
        return time.instant().getEpochSecond() * 1_000_000 + time.instant().getNano() / 1_000;
    }

    private static Reservation granted(long atMicros) {
        return new Reservation(atMicros, 1, Waiters.NONE, atMicros, atMicros + 1_500_000);
    }

    private QueueEntry.Grant hear(Reservation reservation) {
        keeper.granted(entry.owner.sequence(), reservation);
        return entry.claim(time.nanos(), Duration.ofSeconds(30).toNanos(), false);
    }

    @Test
    void message_counts_from_the_answer_that_gave_the_entry_its_place() {
        long answeredAt = time.nanos();
        time.pass(Duration.ofMillis(200));

        QueueEntry.Grant claim = hear(granted(storeMicros()));

        assertThat(claim).isNotNull();
        assertThat(claim.deadline() - answeredAt).isEqualTo((200_000 + 1_500_000 - 1) * 1_000L);
    }

    @Test
    void message_that_is_older_than_an_answer_which_kept_the_entry_grants_nothing() {
        time.pass(Duration.ofMillis(400));
        long before = storeMicros();
        time.pass(Duration.ofMillis(100));
        keeper.tick();
        assertThat(store.polls).hasSize(1);

        assertThat(hear(granted(before))).isNull();
        assertThat(hear(granted(storeMicros()))).isNotNull();
    }

    @Test
    void message_counts_from_when_the_call_that_kept_the_entry_was_sent() {
        time.pass(Duration.ofMillis(500));
        long sentAt = time.nanos();
        store.afterNextCallHere(() -> time.pass(Duration.ofMillis(70)));
        keeper.tick();
        time.pass(Duration.ofMillis(130));

        QueueEntry.Grant claim = hear(granted(storeMicros()));

        assertThat(claim).isNotNull();
        assertThat(claim.deadline() - sentAt).isEqualTo((200_000 + 1_500_000 - 1) * 1_000L);
    }
}
