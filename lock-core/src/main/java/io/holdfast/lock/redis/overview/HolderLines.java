package io.holdfast.lock.redis.overview;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockMode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** A holder in the format of {@code describe.lua}: four lines. */
public final class HolderLines {

    /** The number of lines of a holder. */
    public static final int COUNT = 4;

    private HolderLines() {}

    /**
     * {@return the holder} Its token is the time of the grant, or slightly later.
     *
     * @param lines the lines of a reply
     * @param from the index of the first line of the holder
     * @throws IllegalArgumentException if the lines are not in that format
     * @throws IndexOutOfBoundsException if lines are missing
     */
    public static LockHolder read(String[] lines, int from) {
        String[] words = lines[from].split(" ", -1);
        long token = Long.parseLong(words[3]);
        if (token <= 0) {
            throw new IllegalArgumentException("Not a token: " + token);
        }
        return new LockHolder(
                clientOf(words[1]),
                lines[from + 1],
                Long.parseLong(lines[from + 2]),
                lines[from + 3],
                Instant.EPOCH.plus(token, ChronoUnit.MICROS),
                Duration.of(Long.parseLong(words[0]), ChronoUnit.MICROS),
                token,
                words[2].equals("0") ? LockMode.EXCLUSIVE : LockMode.SHARED,
                isKept(words[1]));
    }

    /** An OwnerId has a minus in front if the lock was released and is kept for the rest of its {@code minHold}. */
    private static boolean isKept(String owner) {
        return owner.startsWith("-");
    }

    /** The client id of an OwnerId. */
    static String clientOf(String owner) {
        return owner.substring(isKept(owner) ? 1 : 0, Math.max(0, owner.lastIndexOf(':')));
    }
}
