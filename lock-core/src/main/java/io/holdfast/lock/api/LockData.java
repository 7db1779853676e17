package io.holdfast.lock.api;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The data of a lock, as read from the store: a few bytes that each holder leaves for the next one, see {@link LockRequest#withData}.
 * Immutable. All times are those of the store's clock, in microseconds, so they can be compared with each other, but not with the clock of
 * this machine.
 *
 * <pre>{@code
 * lockTemplate.execute(LockRequest.of("import").withData(Duration.ofDays(7)), lock -> {
 *     String cursor = lock.data().bytes().map(bytes -> new String(bytes, UTF_8)).orElse("");
 *     lock.saveData(importFrom(cursor).getBytes(UTF_8));
 * });
 * }</pre>
 */
public final class LockData {

    private final byte @Nullable [] bytes;
    private final @Nullable Instant savedAt;
    private final Instant readAt;

    private LockData(byte @Nullable [] bytes, @Nullable Instant savedAt, Instant readAt) {
        this.bytes = bytes == null ? null : bytes.clone();
        this.savedAt = savedAt;
        this.readAt = readAt;
    }

    /**
     * {@return data that a holder has saved}
     *
     * @param bytes the content; copied
     * @param savedAt when it was saved, on the store's clock
     * @param readAt when it was read, on the store's clock
     */
    public static LockData of(byte[] bytes, Instant savedAt, Instant readAt) {
        return new LockData(bytes, savedAt, readAt);
    }

    /**
     * {@return the answer of a store that has no data for a lock}
     *
     * @param readAt when the store was asked, on its clock
     */
    public static LockData none(Instant readAt) {
        return new LockData(null, null, readAt);
    }

    /** {@return a copy of what was saved; empty if nothing was, or if it has expired} */
    public Optional<byte[]> bytes() {
        return Optional.ofNullable(bytes).map(byte[]::clone);
    }

    /** {@return when it was saved; empty if there is no data} */
    public Optional<Instant> savedAt() {
        return Optional.ofNullable(savedAt);
    }

    /** {@return when it was read, also if there is no data} */
    public Instant readAt() {
        return readAt;
    }

    /** Size and times, not the content. */
    @Override
    public String toString() {
        return "LockData["
                + (bytes == null ? "none" : bytes.length + " bytes, saved at " + savedAt)
                + ", read at " + readAt + "]";
    }
}
