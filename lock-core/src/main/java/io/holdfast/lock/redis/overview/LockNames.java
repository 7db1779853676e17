package io.holdfast.lock.redis.overview;

import io.holdfast.lock.api.LockKey;
import java.util.Optional;

/** What locks are called in Redis. */
public interface LockNames {

    /** {@return the name of a lock} */
    byte[] bytes(LockKey key);

    /**
     * {@return the lock of that name; empty if it is not the name of a lock}
     *
     * @param name what Redis calls it
     */
    Optional<LockKey> key(String name);

    /**
     * {@return a pattern, as {@code SCAN} has them, that the names of all locks match whose keys begin like that}
     *
     * @param keyPrefix empty for all
     */
    String pattern(String keyPrefix);
}
