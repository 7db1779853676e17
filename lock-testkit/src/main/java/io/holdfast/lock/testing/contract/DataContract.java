package io.holdfast.lock.testing.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockData;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.store.DataRequest;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.RenewReply;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What holders leave to each other with the lock, if the store keeps it. */
abstract class DataContract extends ContractFixture {

    /** Longer than a lease and its retention. */
    private static final Duration KEEP = Duration.ofHours(2);

    DataContract(StoreUnderTest subject) {
        super(subject);
    }

    @BeforeEach
    void needsData() {
        needs(OptionalCall.DATA, store().keepsData());
    }

    private Optional<LockData> read(OwnerId owner, long token) {
        return store().data(new DataRequest(key, owner, token, null, 0, Duration.ZERO));
    }

    private Optional<LockData> write(OwnerId owner, long token, long number, String value) {
        return store().data(new DataRequest(key, owner, token, value.getBytes(UTF_8), number, KEEP));
    }

    private LockData readByAnybody() {
        return store().data(DataRequest.read(key)).orElseThrow();
    }

    private static Optional<String> text(LockData data) {
        return data.bytes().map(bytes -> new String(bytes, UTF_8));
    }

    private Optional<String> found() {
        return text(readByAnybody());
    }

    @Test
    void lock_has_no_data_at_first() {
        long token = granted(alice);

        LockData data = read(alice, token).orElseThrow();

        assertThat(data.bytes()).isEmpty();
        assertThat(data.savedAt()).isEmpty();
        assertThat(data.readAt()).isAfter(Instant.EPOCH);
        assertThat(readByAnybody().bytes()).isEmpty();
    }

    @Test
    void holder_finds_what_the_last_holder_left() {
        long first = granted(alice);
        assertThat(text(write(alice, first, 1, "left").orElseThrow())).contains("left");
        released(alice);

        long second = granted(bob);

        LockData data = read(bob, second).orElseThrow();
        assertThat(text(data)).contains("left");
        assertThat(data.savedAt().orElseThrow()).isBeforeOrEqualTo(data.readAt());
        assertThat(found()).contains("left");
    }

    @Test
    void data_has_the_time_of_its_last_write() {
        long token = granted(alice);
        Instant first = write(alice, token, 1, "first").orElseThrow().savedAt().orElseThrow();
        pass(Duration.ofSeconds(2));

        LockData second = write(alice, token, 2, "second").orElseThrow();

        assertThat(second.savedAt()).contains(second.readAt());
        assertThat(Duration.between(first, second.readAt())).isPositive();
        pass(Duration.ofSeconds(2));
        LockData later = read(alice, token).orElseThrow();
        assertThat(text(later)).contains("second");
        assertThat(Duration.between(later.savedAt().orElseThrow(), later.readAt()))
                .isBetween(Duration.ofSeconds(2), Duration.ofMinutes(5));
    }

    @Test
    void data_may_be_any_bytes() {
        byte[] all = new byte[65_536];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) (i * 31 / 7);
        }
        long token = granted(alice);

        store().data(new DataRequest(key, alice, token, all, 1, KEEP));

        assertThat(read(alice, token).orElseThrow().bytes().orElseThrow()).isEqualTo(all);
        assertThat(readByAnybody().bytes().orElseThrow()).isEqualTo(all);
    }

    @Test
    void data_may_be_empty() {
        long token = granted(alice);

        write(alice, token, 1, "");

        assertThat(read(alice, token).orElseThrow().bytes().orElseThrow()).isEmpty();
        assertThat(readByAnybody().savedAt()).isPresent();
    }

    @Test
    void data_cannot_be_changed_through_the_arrays_of_a_caller() {
        long token = granted(alice);
        byte[] given = "abc".getBytes(UTF_8);
        store().data(new DataRequest(key, alice, token, given, 1, KEEP));

        given[0] = 'x';
        LockData data = readByAnybody();
        data.bytes().orElseThrow()[0] = 'x';

        assertThat(text(data)).contains("abc");
        assertThat(found()).contains("abc");
    }

    @Test
    void data_lives_on_while_nobody_holds_the_lock_and_ends_in_time() {
        long token = granted(alice);
        write(alice, token, 1, "kept");
        released(alice);

        pass(KEEP.minusMinutes(5));
        assertThat(found()).contains("kept");

        pass(Duration.ofMinutes(5));
        assertThat(found()).isEmpty();
        assertThat(readByAnybody().savedAt()).isEmpty();
        assertThat(text(read(bob, granted(bob)).orElseThrow())).isEmpty();
    }

    @Test
    void each_write_decides_how_long_the_data_lives_from_then_on() {
        long token = granted(acquire(alice, KEEP.multipliedBy(3), false));
        write(alice, token, 1, "long");
        store().data(new DataRequest(key, alice, token, "short".getBytes(UTF_8), 2, Duration.ofMinutes(10)));

        pass(Duration.ofMinutes(10));
        assertThat(found()).isEmpty();

        store().data(new DataRequest(key, alice, token, "short".getBytes(UTF_8), 3, Duration.ofMinutes(10)));
        write(alice, token, 4, "long");
        pass(Duration.ofMinutes(10));
        read(alice, token);
        assertThat(found()).contains("long");
    }

    @Test
    void reading_does_not_prolong_the_life_of_data() {
        long token = granted(acquire(alice, KEEP.multipliedBy(3), false));
        write(alice, token, 1, "kept");
        pass(KEEP.minusMinutes(5));
        read(alice, token);

        pass(Duration.ofMinutes(5));

        assertThat(read(alice, token).orElseThrow().bytes()).isEmpty();
    }

    @Test
    void nobody_but_the_holder_reads_as_holder_or_writes() {
        long token = granted(alice);
        write(alice, token, 1, "of alice");

        assertThat(write(bob, token + 1, 1, "of bob")).isEmpty();
        assertThat(read(bob, token + 1)).isEmpty();
        assertThat(found()).contains("of alice");
        assertThat(write(alice, token, 2, "again")).isPresent();
    }

    @Test
    void former_holder_cannot_write_after_its_release() {
        long token = granted(alice);
        released(alice);

        assertThat(write(alice, token, 1, "late")).isEmpty();
        assertThat(read(alice, token)).isEmpty();

        granted(bob);
        assertThat(write(alice, token, 1, "late")).isEmpty();
        assertThat(found()).isEmpty();
    }

    @Test
    void holder_of_a_lock_that_is_only_kept_cannot_write() {
        long token = granted(alice);
        releaseLater(alice, LEASE);

        assertThat(write(alice, token, 1, "late")).isEmpty();
        assertThat(found()).isEmpty();
    }

    @Test
    void lease_that_has_ended_counts_for_nothing_even_if_nobody_else_came() {
        long token = granted(alice);
        write(alice, token, 1, "in time");
        pass(LEASE);

        assertThat(read(alice, token)).isEmpty();
        assertThat(write(alice, token, 2, "late")).isEmpty();
        assertThat(found()).contains("in time");
    }

    @Test
    void forced_release_keeps_the_data_and_ends_the_right_to_write() {
        long token = granted(alice);
        write(alice, token, 1, "kept");

        store().forceRelease(key);

        assertThat(write(alice, token, 2, "late")).isEmpty();
        assertThat(found()).contains("kept");
        assertThat(text(read(bob, granted(bob)).orElseThrow())).contains("kept");
    }

    @Test
    void reader_of_the_lock_is_no_holder_of_its_data() {
        long token = shared(alice, UNLIMITED);

        assertThat(write(alice, token, 1, "shared")).isEmpty();
        assertThat(read(alice, token)).isEmpty();
        released(alice, UNLIMITED);

        long exclusive = granted(bob);
        write(bob, exclusive, 1, "exclusive");
        store().downgrade(key, bob, 0);
        assertThat(write(bob, exclusive, 2, "shared")).isEmpty();
        assertThat(found()).contains("exclusive");
    }

    @Test
    void holder_uses_the_data_while_others_wait() {
        long token = granted(alice);
        refused(acquire(bob, LEASE, true));

        assertThat(write(alice, token, 1, "awaited")).isPresent();

        assertThat(text(read(alice, token).orElseThrow())).contains("awaited");
        assertThat(store().inspect(key).waiters()).isLessThanOrEqualTo(1);
        assertThat(renew(alice, LEASE)).isInstanceOf(RenewReply.Renewed.class);
    }

    /** Threads of a client that hand the lock to each other have the same owner, and tokens of one block. */
    @Test
    void thread_that_has_handed_the_lock_off_cannot_write_after_the_next_one_has_read_that_there_is_nothing() {
        long first = granted(tryForTokens(alice, EXCLUSIVE, 100));

        assertThat(read(alice, first + 7).orElseThrow().bytes()).isEmpty();

        assertThat(write(alice, first, 1, "late")).isEmpty();
        assertThat(write(alice, first + 6, 1, "late")).isEmpty();
        assertThat(read(alice, first + 6)).isEmpty();
        assertThat(found()).isEmpty();
        assertThat(write(alice, first + 7, 1, "next")).isPresent();
        assertThat(found()).contains("next");
    }

    @Test
    void thread_that_has_handed_the_lock_off_cannot_write_after_the_next_one_has_written() {
        long first = granted(tryForTokens(alice, EXCLUSIVE, 100));
        write(alice, first, 5, "first");

        assertThat(write(alice, first + 1, 1, "second")).isPresent();

        assertThat(write(alice, first, 6, "late")).isEmpty();
        assertThat(found()).contains("second");
    }

    @Test
    void next_thread_writes_with_numbers_of_its_own() {
        long first = granted(tryForTokens(alice, EXCLUSIVE, 100));
        write(alice, first, 5, "first");
        read(alice, first + 1);

        write(alice, first + 1, 1, "second");
        write(alice, first + 1, 2, "third");

        assertThat(found()).contains("third");
    }

    @Test
    void write_that_is_sent_twice_has_one_effect() {
        long token = granted(alice);
        write(alice, token, 1, "once");

        assertThat(write(alice, token, 1, "once")).isPresent();

        assertThat(found()).contains("once");
    }

    /** Its caller has gone, or it was made at the same time as the later one. */
    @Test
    void write_that_arrives_after_a_later_one_of_its_holder_has_no_effect() {
        long token = granted(alice);
        write(alice, token, 2, "second");

        LockData overtaken = write(alice, token, 1, "first").orElseThrow();

        assertThat(text(overtaken)).contains("first");
        assertThat(overtaken.savedAt()).contains(overtaken.readAt());
        assertThat(found()).contains("second");
        read(alice, token);
        write(alice, token, 1, "first");
        assertThat(found()).contains("second");
        write(alice, token, 3, "third");
        assertThat(found()).contains("third");
    }

    @Test
    void reading_without_holding_the_lock_changes_nothing() {
        long token = granted(alice);

        readByAnybody();

        assertThat(store().inspect(key).holder().orElseThrow().fencingToken()).isEqualTo(token);
        assertThat(store().inspect(key).lastFencingToken()).isEqualTo(token);
        assertThat(write(alice, token, 1, "after")).isPresent();
    }

    @Test
    void data_neither_prolongs_a_lease_nor_is_it_a_lock() {
        long token = granted(alice);
        pass(MOST_OF_LEASE);
        write(alice, token, 1, "kept");
        read(alice, token);

        assertThat(remaining()).isLessThanOrEqualTo(REST_OF_LEASE);
        pass(REST_OF_LEASE);

        assertThat(holders()).isEmpty();
        assertThat(granted(bob)).isGreaterThan(token);
    }

    @Test
    void every_lock_has_data_of_its_own() {
        long token = granted(alice);
        write(alice, token, 1, "mine");

        assertThat(store().data(DataRequest.read(beside("x"))).orElseThrow().bytes())
                .isEmpty();
    }

    @Test
    void data_is_not_listed_as_a_lock() {
        long token = granted(alice);
        write(alice, token, 1, "kept");
        released(alice);

        store().openScan(key.value()).ifPresent(scan -> {
            while (scan.step()) {
                assertThat(scan.size()).isZero();
            }
            assertThat(scan.found()).isEmpty();
            assertThat(scan.unreadable()).isEmpty();
        });
        assertThat(store().forceRelease(key, Set.of(LockMode.EXCLUSIVE))).isEmpty();
        assertThat(found()).contains("kept");
    }
}
