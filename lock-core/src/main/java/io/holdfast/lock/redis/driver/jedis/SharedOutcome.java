package io.holdfast.lock.redis.driver.jedis;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.driver.Wire.Answers;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/** The result of one of several calls that were sent together. If they failed, each caller gets its own exception to throw. */
record SharedOutcome(@Nullable Answers answers, @Nullable Throwable failure) {

    Answers get() {
        if (answers != null) {
            return answers;
        }
        if (failure instanceof LockStoreException e) {
            throw new LockStoreException(String.valueOf(e.getMessage()), e.getCause(), e.outcomeUnknown());
        }
        if (failure instanceof Error e) {
            throw new IllegalStateException("Another call sent together with this one failed", e);
        }
        if (failure instanceof JedisConnectionException e) {
            throw new JedisConnectionException(e.getMessage(), e);
        }
        throw new JedisException(String.valueOf(failure), failure);
    }
}
