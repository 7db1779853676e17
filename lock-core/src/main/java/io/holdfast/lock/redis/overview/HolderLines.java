package io.holdfast.lock.redis.overview;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockMode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** A holder as {@code describe.lua} tells of it, in four lines. */
public final class HolderLines {

    /** How many lines a holder has. */
    public static final int COUNT = 4;

    private HolderLines() {}

    /**
     * {@return the holder} A token is the time of its grant, or a little later.
     *
     * @param lines of an answer
     * @param from where those of the holder begin
     * @throws IllegalArgumentException if no script says that
     * @throws IndexOutOfBoundsException as well
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
                words[2].equals("0") ? LockMode.EXCLUSIVE : LockMode.SHARED);
    }

    /** Of an OwnerId, behind a minus if the lock was released and is kept. */
    static String clientOf(String owner) {
        return owner.substring(owner.startsWith("-") ? 1 : 0, Math.max(0, owner.lastIndexOf(':')));
    }
}
