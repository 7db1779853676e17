package io.holdfast.lock.redis.overview;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockWaiter;
import java.util.ArrayList;
import java.util.List;

/** Reads the reply of {@code overview.lua}. */
final class StatusLines {

    private static final int ENTRY_LINES = 4;

    private final String[] lines;
    private int at;

    private StatusLines(String[] lines) {
        this.lines = lines;
    }

    /**
     * The locks that are held or waited for.
     *
     * @param keys the requested keys
     * @throws IllegalArgumentException if the reply is not in that format
     * @throws IndexOutOfBoundsException if lines are missing
     */
    static List<LockStatus> read(String answer, List<LockKey> keys) {
        if (answer.isEmpty()) {
            return List.of();
        }
        var reader = new StatusLines(answer.split("\n", -1));
        List<LockStatus> statuses = new ArrayList<>();
        while (reader.at < reader.lines.length) {
            statuses.add(reader.next(keys));
        }
        return statuses;
    }

    private LockStatus next(List<LockKey> keys) {
        String[] words = lines[at].split(" ", -1);
        at++;
        List<LockHolder> holders = new ArrayList<>();
        for (int left = Integer.parseInt(words[3]); left > 0; left--) {
            holders.add(HolderLines.read(lines, at));
            at += HolderLines.COUNT;
        }
        List<LockWaiter> queue = new ArrayList<>();
        for (int left = Integer.parseInt(words[4]); left > 0; left--) {
            queue.add(waiter());
            at += ENTRY_LINES;
        }
        return new LockStatus(
                keys.get(Integer.parseInt(words[0]) - 1),
                holders,
                queue,
                Integer.parseInt(words[2]),
                Long.parseLong(words[1]));
    }

    private LockWaiter waiter() {
        String[] words = lines[at].split(" ", -1);
        return new LockWaiter(
                HolderLines.clientOf(words[0]),
                lines[at + 1],
                Long.parseLong(lines[at + 2]),
                lines[at + 3],
                words[1].equals("0") ? LockMode.EXCLUSIVE : LockMode.SHARED,
                words[2].equals("1"),
                words[3].equals("1"));
    }
}
