package io.holdfast.lock.explore;

import io.holdfast.lock.api.LockKey;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which clients want which locks, each on its own node of a cluster, and what may go wrong how often. */
final class SpreadSetting {

    /** A rule that is left out. */
    enum Flaw {
        /** Single tries, too, request all locks at the same time. */
        TRIES_ARE_SPREAD,
        /** Locks that were granted are kept when another one was refused. */
        NOTHING_IS_GIVEN_BACK,
        /** Nothing is cancelled although a call may still arrive. */
        LATE_CALLS_ARE_FORGOTTEN
    }

    /**
     * A client that acquires several locks once.
     *
     * @param keys in their order
     * @param oneTry whether it does not wait
     */
    record Wish(String clientId, List<LockKey> keys, boolean oneTry) {

        @Override
        public String toString() {
            String letters = keys.stream().map(LockKey::value).collect(Collectors.joining());
            return clientId + (oneTry ? " tries " : " waits for ") + letters;
        }
    }

    final ModelClock clock = new ModelClock();
    final List<Wish> wishes = new ArrayList<>();
    int losses;
    int breaks;
    boolean givesUp;

    @Nullable
    Flaw flaw;

    /** The state that is looked at. */
    SpreadWorld current;

    /** A client that waits; each letter is a lock. */
    SpreadSetting waits(String keys) {
        return wish(keys, false);
    }

    /** A client that tries once. */
    SpreadSetting tries(String keys) {
        return wish(keys, true);
    }

    private SpreadSetting wish(String keys, boolean oneTry) {
        List<LockKey> each = Stream.of(keys.split("")).map(LockKey::of).toList();
        wishes.add(new Wish(String.valueOf((char) ('P' + wishes.size())), each, oneTry));
        return this;
    }

    /** How many calls get no reply in time, whether they have been carried out or may still arrive. */
    SpreadSetting losses(int number) {
        losses = number;
        return this;
    }

    /** How many calls are sent again because their connection breaks. */
    SpreadSetting breaks(int number) {
        breaks = number;
        return this;
    }

    /** Waiting clients may run out of budget. */
    SpreadSetting givingUp() {
        givesUp = true;
        return this;
    }

    SpreadSetting without(Flaw rule) {
        flaw = rule;
        return this;
    }

    List<LockKey> keys() {
        return wishes.stream().flatMap(wish -> wish.keys().stream()).distinct().toList();
    }

    @Override
    public String toString() {
        String who = wishes.stream().map(Wish::toString).collect(Collectors.joining(", "));
        return "multi-locks on several nodes, " + who
                + (losses > 0 ? ", " + losses + " replies lost" : "")
                + (breaks > 0 ? ", " + breaks + " connections break" : "")
                + (givesUp ? ", giving up" : "")
                + (flaw == null ? "" : ", " + flaw);
    }
}
