package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockWaiter;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/**
 * Which of all locks to show.
 *
 * @param name keys that are equal to it, or begin with it and a colon; null for all
 * @param key a part of the key; null for all
 * @param holder a part of the host, client id or thread of a holder or waiter; null for all
 * @param minAge how long somebody has held the lock at least; null for all
 * @param page from 0 on
 * @param size of a page
 */
record OverviewQuery(
        @Nullable String name,
        @Nullable String key,
        @Nullable String holder,
        @Nullable Duration minAge,
        int page,
        int size) {

    private static final int USUAL_SIZE = 100;
    private static final int MOST_PER_PAGE = 1_000;

    /**
     * {@return what a request says}
     *
     * @throws IllegalArgumentException if it says what it may not
     */
    static OverviewQuery of(
            @Nullable String name,
            @Nullable String key,
            @Nullable String holder,
            @Nullable String minAge,
            @Nullable String page,
            @Nullable String size) {
        return new OverviewQuery(
                given(name),
                given(key),
                given(holder),
                duration(minAge),
                number("page", page, 0, 0, Integer.MAX_VALUE / MOST_PER_PAGE),
                number("size", size, USUAL_SIZE, 1, MOST_PER_PAGE));
    }

    /** A form sends what is left empty, too. */
    private static @Nullable String given(@Nullable String text) {
        return text == null || text.isEmpty() ? null : text;
    }

    private static @Nullable Duration duration(@Nullable String text) {
        if (given(text) == null) {
            return null;
        }
        try {
            return DurationStyle.detectAndParse(String.valueOf(text));
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IllegalArgumentException("minAge must be a duration such as 30s, 5m or PT1H", e);
        }
    }

    private static int number(String what, @Nullable String text, int usual, int least, int most) {
        if (given(text) == null) {
            return usual;
        }
        try {
            int number = Integer.parseInt(String.valueOf(text).strip());
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // as if it were out of range
        }
        throw new IllegalArgumentException(what + " must be a number from " + least + " to " + most);
    }

    /** @param now by the clock that has dated the holders, or about that */
    boolean matches(LockStatus lock, Instant now) {
        String shown = lock.key().toString();
        return (name == null || shown.equals(name) || shown.startsWith(name + ':'))
                && (key == null || shown.contains(key))
                && (holder == null || isAbout(lock, holder))
                && (minAge == null || isOld(lock, now.minus(minAge)));
    }

    private static boolean isAbout(LockStatus lock, String part) {
        Stream<String> holders = lock.holders().stream().flatMap(OverviewQuery::names);
        Stream<String> waiters = lock.queue().stream().flatMap(OverviewQuery::names);
        return Stream.concat(holders, waiters).anyMatch(text -> text.contains(part));
    }

    private static Stream<String> names(LockHolder holder) {
        return Stream.of(holder.host(), holder.clientId(), holder.thread());
    }

    private static Stream<String> names(LockWaiter waiter) {
        return Stream.of(waiter.host(), waiter.clientId(), waiter.thread());
    }

    private static boolean isOld(LockStatus lock, Instant before) {
        return lock.holders().stream().anyMatch(holder -> !holder.since().isAfter(before));
    }
}
