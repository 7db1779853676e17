package io.holdfast.lock.redis.overview;

import io.holdfast.lock.api.LockKey;
import java.util.Optional;

/** The names of locks in Redis. */
public interface LockNames {

    /** {@return the name of a lock} */
    byte[] bytes(LockKey key);

    /**
     * {@return the lock with the given name; empty if it is not the name of a lock}
     *
     * @param name a name in Redis
     */
    Optional<LockKey> key(String name);

    /**
     * {@return a {@code SCAN} pattern that matches the names of all locks whose keys start with the given prefix}
     *
     * @param keyPrefix the prefix of the keys; empty for all keys
     */
    String pattern(String keyPrefix);
}
