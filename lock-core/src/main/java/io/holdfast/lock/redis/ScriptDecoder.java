package io.holdfast.lock.redis;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockSnapshot;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.Waiters;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns the output of scripts into replies, and rejects anything that scripts never return. Each output is one text; the scripts
 * document its lines.
 */
final class ScriptDecoder {

    private static final List<Waiters> WAITERS = List.of(Waiters.values());
    private static final RenewReply RENEWED = new RenewReply.Renewed();

    private ScriptDecoder() {}

    static AcquireReply acquire(String reply, boolean resent) {
        return guarded(reply, () -> readAcquire(reply, resent));
    }

    private static AcquireReply readAcquire(String reply, boolean resent) {
        if (isDigit(reply)) {
            return new AcquireReply.Granted(positive(reply), 1, Waiters.NONE, resent);
        }
        String[] lines = lines(reply);
        String[] words = words(lines[0]);
        return switch (words[0]) {
            case "GRANTED" ->
                new AcquireReply.Granted(
                        positive(words[1]), positive(words[2]), waiters(Long.parseLong(words[3])), resent);
            case "HELD" ->
                new AcquireReply.Held(
                        holders(lines).stream().findFirst(), positive(words[1]), micros(words[2]), resent);
            case "BURIED" -> new AcquireReply.Cancelled();
            case "REJOINING" -> throw rejoining(micros(words[1]));
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    static AcquireAllReply acquireAll(String reply, int expected, boolean resent) {
        return guarded(reply, () -> readAcquireAll(reply, expected, resent));
    }

    private static AcquireAllReply readAcquireAll(String reply, int expected, boolean resent) {
        String[] parts = reply.split("\n", 2);
        String[] words = words(parts[0]);
        return switch (words[0]) {
            case "GRANTED" -> new AcquireAllReply.Granted(grants(lines(parts[1]), expected, resent));
            case "REFUSED" ->
                new AcquireAllReply.Refused(Integer.parseInt(words[1]) - 1, readAcquire(parts[1], resent));
            case "BROKEN" -> new AcquireAllReply.OneByOne();
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    private static List<AcquireReply.Granted> grants(String[] lines, int expected, boolean resent) {
        if (lines.length != expected) {
            throw new IllegalArgumentException("Expected one line for each lock");
        }
        return Arrays.stream(lines)
                .map(ScriptDecoder::words)
                .map(words -> new AcquireReply.Granted(
                        positive(words[0]), positive(words[1]), waiters(Long.parseLong(words[2])), resent))
                .toList();
    }

    /** Whether the server first has to record when it was started, see {@code join.lua}. */
    static boolean isStranger(String reply) {
        return reply.equals("STRANGER");
    }

    private static LockStoreException rejoining(Duration left) {
        return new LockStoreException(
                "The Redis server was restarted recently and may have lost this lock: it can be granted in "
                        + DurationText.of(left) + ", when all earlier leases have expired (rejoin-delay).",
                null,
                false);
    }

    static boolean released(String reply) {
        return switch (reply) {
            case "RELEASED" -> true;
            case "NOT_HOLDER" -> false;
            default -> throw unexpected(reply, null);
        };
    }

    /** For each lock nothing if it was released, otherwise {@code NOT_HOLDER} or the error. */
    static List<String> releaseAll(String reply, int expected) {
        return guarded(reply, () -> {
            List<String> outcomes = new ArrayList<>(Collections.nCopies(expected, ""));
            if (!reply.isEmpty()) {
                for (String line : lines(reply)) {
                    String[] words = line.split(" ", 2);
                    outcomes.set(Integer.parseInt(words[0]) - 1, words[1]);
                }
            }
            return outcomes;
        });
    }

    static void left(String reply) {
        if (!reply.equals("LEFT")) {
            throw unexpected(reply, null);
        }
    }

    static List<RenewReply> renew(String reply, int expected) {
        return guarded(reply, () -> readRenew(reply, expected));
    }

    private static List<RenewReply> readRenew(String reply, int expected) {
        if (reply.isEmpty()) {
            return Collections.nCopies(expected, RENEWED);
        }
        List<RenewReply> replies = new ArrayList<>(Collections.nCopies(expected, RENEWED));
        for (String line : lines(reply)) {
            String[] words = line.split(" ", 2);
            replies.set(
                    Integer.parseInt(words[0]) - 1,
                    words[1].equals("NOT_HOLDER") ? new RenewReply.NotHolder() : new RenewReply.Failed(words[1]));
        }
        return replies;
    }

    static List<EntryReply> entries(String reply, List<EntryRequest> requests) {
        return guarded(reply, () -> readEntries(reply, requests));
    }

    private static List<EntryReply> readEntries(String reply, List<EntryRequest> requests) {
        String[] lines = lines(reply);
        if (lines.length != requests.size() + 1) {
            throw new IllegalArgumentException("Expected one line for each lock");
        }
        long storeMicros = positive(lines[0]);
        List<EntryReply> replies = new ArrayList<>(requests.size());
        for (int i = 0; i < requests.size(); i++) {
            replies.add(kept(lines[i + 1], storeMicros, requests.get(i)));
        }
        return replies;
    }

    private static EntryReply kept(String line, long storeMicros, EntryRequest request) {
        if (!isDigit(line)) {
            return new EntryReply.Failed(line.split(" ", 2)[1]);
        }
        String[] words = words(line);
        List<OwnerId> called = new ArrayList<>(words.length - 1);
        for (int i = 1; i < words.length; i++) {
            called.add(request.owners().get(Integer.parseInt(words[i]) - 1));
        }
        return new EntryReply.Kept(called, storeMicros, micros(words[0]));
    }

    static LockSnapshot inspect(LockKey key, String reply) {
        return guarded(reply, () -> readSnapshot(key, reply));
    }

    private static LockSnapshot readSnapshot(LockKey key, String reply) {
        String[] lines = lines(reply);
        String[] words = words(lines[0]);
        return new LockSnapshot(key, holders(lines), Integer.parseInt(words[1]), Long.parseLong(words[0]));
    }

    static List<LockHolder> formerHolders(String reply) {
        String[] lines = lines(reply);
        if (!lines[0].equals("RELEASED")) {
            throw unexpected(reply, null);
        }
        return guarded(reply, () -> holders(lines));
    }

    /** All lines but the first one. */
    private static List<LockHolder> holders(String[] lines) {
        List<LockHolder> holders = new ArrayList<>();
        Iterator<String> left = List.of(lines).subList(1, lines.length).iterator();
        while (left.hasNext()) {
            holders.add(holder(left));
        }
        return holders;
    }

    /** The next four lines, see {@code describe.lua}. The token is the time of the grant, or slightly later. */
    static LockHolder holder(Iterator<String> lines) {
        String[] words = words(lines.next());
        long token = positive(words[3]);
        return new LockHolder(
                clientOf(words[1]),
                lines.next(),
                Long.parseLong(lines.next()),
                lines.next(),
                Instant.EPOCH.plus(token, ChronoUnit.MICROS),
                micros(words[0]),
                token,
                mode(words[2]),
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

    static LockMode mode(String word) {
        return word.equals("0") ? LockMode.EXCLUSIVE : LockMode.SHARED;
    }

    static Waiters waiters(long number) {
        if (number < 0 || number >= WAITERS.size()) {
            throw new IllegalArgumentException("Invalid number of waiters: " + number);
        }
        return WAITERS.get((int) number);
    }

    private static boolean isDigit(String text) {
        return !text.isEmpty() && text.charAt(0) >= '0' && text.charAt(0) <= '9';
    }

    private static String[] lines(String text) {
        return text.split("\n", -1);
    }

    private static String[] words(String line) {
        return line.split(" ", -1);
    }

    private static Duration micros(String number) {
        return Duration.of(Long.parseLong(number), ChronoUnit.MICROS);
    }

    private static long positive(String text) {
        long number = Long.parseLong(text);
        if (number <= 0) {
            throw new IllegalArgumentException("Not positive: " + text);
        }
        return number;
    }

    /** Text that cannot be parsed is not from a script. */
    private static <T> T guarded(String reply, Supplier<T> reading) {
        try {
            return reading.get();
        } catch (IllegalArgumentException | IndexOutOfBoundsException | NoSuchElementException e) {
            throw unexpected(reply, e);
        }
    }

    private static LockStoreException unexpected(String reply, @Nullable Throwable cause) {
        return new LockStoreException(
                "Redis returned an unexpected reply to a lock script: '" + LockKey.printable(reply)
                        + "'. Check whether there is a proxy between this client and Redis, and whether something"
                        + " else writes under the key prefix.",
                cause,
                true);
    }
}
