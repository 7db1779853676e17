package io.holdfast.lock.explore;

import java.lang.reflect.Field;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Writes production objects down, field by field. Each field that is a number is named here with what it means; one that is
 * not makes the exploration fail, so that nothing of a state is left out by accident.
 */
final class StateWriter {

    /** What a field means. */
    private enum Kind {
        /** Nanoseconds on a ticker. */
        TIME,
        /** When a question was asked, which counts beside when the store answered it. */
        ASKED,
        /** Microseconds on the store's clock. */
        MICROS,
        TOKEN,
        /** Written as it is. */
        PLAIN,
        /** For people, written elsewhere, or known from the rest. */
        SKIPPED,
        /** An object or a collection, whose parts are written. */
        PARTS
    }

    private static final Map<String, Kind> KINDS = new HashMap<>();

    static {
        kind(Kind.PARTS, "LockState.cancelled", "LockState.holds", "LockState.entries", "EntryRecord.request");
        kind(Kind.PARTS, "QueueEntry.message");
        kind(Kind.PARTS, "QueueEntry.answer", "QueueEntry.owner", "Message.reservation", "QueueEntry.failing");
        kind(Kind.TIME, "HoldRecord.leaseEnd", "EntryRecord.aliveUntil", "Message.receivedAt", "StoreTime.answeredAt");
        kind(Kind.ASKED, "StoreTime.askedAt");
        kind(Kind.MICROS, "StoreTime.micros", "Reservation.atMicros", "Reservation.untilMicros");
        kind(Kind.TOKEN, "LockState.lastFencingToken", "HoldRecord.token", "Reservation.token");
        kind(
                Kind.PLAIN,
                "OwnerId.clientId",
                "OwnerId.sequence",
                "HoldRecord.owner",
                "HoldRecord.mode",
                "HoldRecord.tokens");
        kind(
                Kind.PLAIN,
                "AcquireRequest.owner",
                "AcquireRequest.limit",
                "AcquireRequest.weight",
                "AcquireRequest.fair",
                "EntryRecord.tokens");
        kind(
                Kind.PLAIN,
                "Reservation.tokens",
                "EntryRecord.reserved",
                "QueueEntry.called",
                "QueueEntry.kept",
                "QueueEntry.givenUp",
                "QueueEntry.metFailure");
        // The same lease, holder and lock in all that is explored; of entries, only what a grant needs.
        kind(Kind.SKIPPED, "AcquireRequest.key", "AcquireRequest.leaseMillis", "AcquireRequest.holder");
        kind(Kind.SKIPPED, "HoldRecord.holder", "EntryRecord.holder", "AcquireRequest.tokens");
        kind(Kind.SKIPPED, "AcquireRequest.waiting", "AcquireRequest.leastToken", "AcquireRequest.raising");
        kind(
                Kind.SKIPPED,
                "HoldRecord.request",
                "HoldRecord.since",
                "QueueEntry.key",
                "QueueEntry.waiter",
                "QueueEntry.closed");
        kind(Kind.SKIPPED, "LockState.messages", "LockState.clock", "LockState.now", "QueueEntry.awaited");
        kind(Kind.SKIPPED, "Reservation.waiters", "QueueEntry.whenFailing");
        // No client of these models reads or writes data, see DataModel.
        kind(Kind.SKIPPED, "LockState.dataToken", "LockState.dataNumber");
        // Reports for people.
        kind(Kind.SKIPPED, "HoldRecord.followers", "EntryRecord.followers", "QueueEntry.followers");
        // When the lock may be forgotten, ten minutes after its last use.
        kind(Kind.SKIPPED, "LockState.forgettableAt");
    }

    private static void kind(Kind kind, String... fields) {
        for (String field : fields) {
            KINDS.put(field, kind);
        }
    }

    private final StateCode code;
    private long tickerNanos;
    private long storeMicros;
    private long tokenClock;
    private long clampNanos;

    StateWriter(StateCode code) {
        this.code = code;
    }

    /**
     * What the next objects count by.
     *
     * @param nanos what their ticker shows
     * @param micros what the store's clock shows
     * @param token the smallest token that the store's clock will give
     * @param clamp from where on more of the past is the same, in nanoseconds
     */
    StateWriter at(long nanos, long micros, long token, long clamp) {
        tickerNanos = nanos;
        storeMicros = micros;
        tokenClock = token;
        clampNanos = clamp;
        return this;
    }

    void write(Object part) {
        if (part == null) {
            code.add(-2);
        } else if (part instanceof Map<?, ?> map) {
            code.add(map.size());
            map.forEach((key, value) -> {
                if (!(key instanceof Long)) {
                    code.add(key.hashCode());
                }
                if (value instanceof Long end) {
                    code.time(end - tickerNanos, clampNanos);
                } else {
                    write(value);
                }
            });
        } else if (part instanceof Collection<?> parts) {
            code.add(parts.size());
            parts.forEach(this::write);
        } else {
            fields(part);
        }
    }

    private void fields(Object part) {
        try {
            for (Field field : ObjectGraph.fieldsOf(part.getClass())) {
                field(part, field);
            }
        } catch (IllegalAccessException e) {
            throw new LinkageError("A field cannot be read", e);
        }
    }

    private void field(Object part, Field field) throws IllegalAccessException {
        String name = part.getClass().getSimpleName() + "." + field.getName();
        Kind kind = KINDS.get(name);
        if (kind == null) {
            throw new IllegalStateException("The exploration has to know what " + name + " means: add it to KINDS");
        }
        switch (kind) {
            case TIME -> code.time(field.getLong(part) - tickerNanos, clampNanos);
            case ASKED -> asked(field.getLong(part), (long) ObjectGraph.read(part, "micros"));
            case MICROS -> code.time(field.getLong(part) - storeMicros, TimeUnit.NANOSECONDS.toMicros(clampNanos));
            case TOKEN -> code.token(field.getLong(part), tokenClock);
            case PLAIN -> plain(field.get(part));
            case PARTS -> write(field.get(part));
            case SKIPPED -> {}
        }
    }

    /**
     * A question and its answer. A grant made after the answer ends as much later on the client's clock as it does on the
     * store's, so what counts is by how much the question is older; and of the answer itself, whether a grant is older.
     */
    void asked(long askedAt, long answeredMicros) {
        long answered = TimeUnit.MICROSECONDS.toNanos(answeredMicros - storeMicros);
        code.time(askedAt - tickerNanos - answered, clampNanos);
    }

    private void plain(Object value) {
        if (value instanceof Enum<?> constant) {
            code.add(constant.ordinal());
        } else {
            code.add(value == null ? -2 : value.hashCode());
        }
    }
}
