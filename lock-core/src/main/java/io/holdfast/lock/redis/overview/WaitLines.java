package io.holdfast.lock.redis.overview;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.store.overview.RecordedWait;
import io.holdfast.lock.store.overview.WaitReport;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The nested waits of a client as text. The first line has the version of this format, the process and the host; then there
 * are for each wait: its id, since and seen in us, waited in us, mode (0 exclusive, 1 shared), whether it has ended (0 or 1),
 * number of holds; thread; key; and for each hold its token, mode and key. Keys start with {@code m} if they are masked,
 * otherwise with {@code -}, and contain no line breaks.
 */
final class WaitLines {

    private static final String FORM = "1";

    private final String[] lines;
    private int at;

    private WaitLines(String[] lines, int at) {
        this.lines = lines;
        this.at = at;
    }

    /** @param waits the waits of one client, at least one */
    static String write(List<RecordedWait> waits) {
        NestedWait any = waits.get(0).report().what();
        StringBuilder text = new StringBuilder(FORM + ' ' + any.pid() + ' ' + any.host());
        waits.forEach(wait -> write(wait, text));
        return text.toString();
    }

    private static void write(RecordedWait recorded, StringBuilder text) {
        NestedWait wait = recorded.report().what();
        text.append('\n').append(recorded.report().id());
        text.append(' ').append(recorded.sinceMicros()).append(' ').append(recorded.seenMicros());
        text.append(' ').append(TimeUnit.NANOSECONDS.toMicros(wait.waited().toNanos()));
        text.append(' ').append(write(wait.mode()));
        text.append(recorded.report().ended() ? " 1 " : " 0 ")
                .append(wait.holds().size());
        text.append('\n').append(wait.thread()).append('\n').append(write(wait.key()));
        for (NestedWait.Held held : wait.holds()) {
            text.append('\n').append(held.fencingToken()).append(' ').append(write(held.mode()));
            text.append(' ').append(write(held.key()));
        }
    }

    private static String write(LockKey key) {
        return (key.isMasked() ? "m" : "-") + key.value().replace("%", "%25").replace("\n", "%0A");
    }

    /** Reads the reply of {@code waits.lua}. Reports in another format are skipped. */
    static List<RecordedWait> read(String answer) {
        String[] lines = answer.split("\n", -1);
        long now = Long.parseLong(lines[0]);
        List<RecordedWait> waits = new ArrayList<>();
        for (int at = 1; at < lines.length; ) {
            String[] words = lines[at].split(" ", 2);
            int count = Integer.parseInt(words[0]);
            waits.addAll(readClient(words[1], lines, at + 1, at + 1 + count, now));
            at += 1 + count;
        }
        return waits;
    }

    private static List<RecordedWait> readClient(String client, String[] lines, int from, int to, long now) {
        try {
            long told = Long.parseLong(lines[from]);
            String[] words = lines[from + 1].split(" ", 3);
            if (!words[0].equals(FORM)) {
                return List.of();
            }
            var reader = new WaitLines(lines, from + 2);
            List<RecordedWait> waits = new ArrayList<>();
            while (reader.at < to) {
                waits.add(reader.next(client, Long.parseLong(words[1]), words[2], told, now));
            }
            return waits;
        } catch (IllegalArgumentException | IndexOutOfBoundsException | LockKeyException e) {
            return List.of();
        }
    }

    private RecordedWait next(String client, long pid, String host, long told, long now) {
        String[] words = lines[at].split(" ", -1);
        boolean ended = words[5].equals("1");
        long since = Long.parseLong(words[1]);
        long waited = Long.parseLong(words[3]) + (ended ? 0 : Math.max(0, now - told));
        String thread = lines[at + 1];
        LockKey key = key(lines[at + 2]);
        at += 3;
        List<NestedWait.Held> holds = new ArrayList<>();
        for (int left = Integer.parseInt(words[6]); left > 0; left--) {
            holds.add(held(lines[at]));
            at++;
        }
        var wait = new NestedWait(
                client, host, pid, thread, key, mode(words[4]), Duration.of(waited, ChronoUnit.MICROS), holds);
        return new RecordedWait(
                new WaitReport(Long.parseLong(words[0]), ended, wait),
                since == 0 ? told : since,
                Long.parseLong(words[2]));
    }

    private static NestedWait.Held held(String line) {
        String[] words = line.split(" ", 3);
        return new NestedWait.Held(key(words[2]), Long.parseLong(words[0]), mode(words[1]));
    }

    private static int write(LockMode mode) {
        return mode == LockMode.EXCLUSIVE ? 0 : 1;
    }

    private static LockMode mode(String word) {
        return word.equals("0") ? LockMode.EXCLUSIVE : LockMode.SHARED;
    }

    private static LockKey key(String text) {
        LockKey key = LockKey.of(text.substring(1).replace("%0A", "\n").replace("%25", "%"));
        return text.startsWith("m") ? key.masked() : key;
    }
}
