package io.holdfast.lock.store;

import io.holdfast.lock.api.LockKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One call that reads or writes the data of a lock, see {@link LockStore#data}.
 *
 * @param key the lock
 * @param owner the exclusive holder that calls; null for somebody who reads without holding the lock
 * @param fencingToken the token of that holder. Threads that hand the lock to each other have one owner, and are told apart by their tokens
 * @param value what to write; null to read
 * @param number the number of the write among those of this holder, from 1; 0 to read
 * @param keep how long the store keeps the value after this write, if no other follows; in milliseconds, rounded down
 */
@SuppressWarnings("ArrayRecordComponent") // neither compared nor changed
public record DataRequest(
        LockKey key, @Nullable OwnerId owner, long fencingToken, byte @Nullable [] value, long number, Duration keep) {

    /**
     * {@return a request to read the data without holding the lock}
     *
     * @param key the lock
     */
    public static DataRequest read(LockKey key) {
        return new DataRequest(key, null, 0, null, 0, Duration.ZERO);
    }
}
