package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockSnapshot;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.RenewReply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** Reads the scripts' answers, and refuses what they never say. */
final class Replies {

    private Replies() {}

    static AcquireReply acquire(List<?> reply, boolean resent) {
        return switch (text(reply, 0)) {
            case "GRANTED" -> new AcquireReply.Granted(positive(reply, 1), resent);
            case "HELD" -> new AcquireReply.Held(holder(reply, 1), resent);
            case "BURIED" -> new AcquireReply.Buried();
            default -> throw unexpected(reply);
        };
    }

    static boolean released(List<?> reply) {
        return switch (text(reply, 0)) {
            case "RELEASED" -> true;
            case "NOT_HOLDER" -> false;
            default -> throw unexpected(reply);
        };
    }

    static void left(List<?> reply) {
        if (!text(reply, 0).equals("LEFT")) {
            throw unexpected(reply);
        }
    }

    static List<RenewReply> renew(List<?> reply, int expected) {
        if (reply.size() != expected) {
            throw unexpected(reply);
        }
        return java.util.stream.IntStream.range(0, expected)
                .mapToObj(i -> renewed(text(reply, i)))
                .toList();
    }

    private static RenewReply renewed(String word) {
        return switch (word) {
            case "RENEWED" -> new RenewReply.Renewed();
            case "NOT_HOLDER" -> new RenewReply.NotHolder();
            default -> new RenewReply.Failed(word);
        };
    }

    static LockSnapshot inspect(LockKey key, List<?> reply) {
        return new LockSnapshot(key, optionalHolder(reply, 2), Math.toIntExact(number(reply, 1)), number(reply, 0));
    }

    static Optional<LockHolder> optionalHolder(List<?> reply, int from) {
        return reply.size() <= from ? Optional.empty() : Optional.of(holder(reply, from));
    }

    private static LockHolder holder(List<?> reply, int from) {
        String owner = text(reply, from + 1);
        String[] where = text(reply, from + 2).split("\n", 3);
        if (where.length != 3) {
            throw unexpected(reply);
        }
        String clientId = owner.substring(owner.startsWith("-") ? 1 : 0, Math.max(0, owner.lastIndexOf(':')));
        return new LockHolder(
                clientId,
                where[0],
                Long.parseLong(where[1]),
                where[2],
                Instant.EPOCH.plus(number(reply, from + 3), ChronoUnit.MICROS),
                Duration.of(number(reply, from), ChronoUnit.MICROS),
                positive(reply, from + 4));
    }

    private static String text(List<?> reply, int index) {
        if (index < reply.size() && reply.get(index) instanceof byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
        throw unexpected(reply);
    }

    private static long number(List<?> reply, int index) {
        if (index < reply.size() && reply.get(index) instanceof Long number) {
            return number;
        }
        throw unexpected(reply);
    }

    private static long positive(List<?> reply, int index) {
        long number = number(reply, index);
        if (number <= 0) {
            throw unexpected(reply);
        }
        return number;
    }

    private static LockStoreException unexpected(List<?> reply) {
        return new LockStoreException(
                "Redis answered something that no lock script says: " + reply
                        + ". Check what stands between this client and Redis, and who else writes under the key prefix.",
                null,
                true);
    }
}
