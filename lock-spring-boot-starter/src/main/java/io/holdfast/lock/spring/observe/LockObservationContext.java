package io.holdfast.lock.spring.observe;

import io.holdfast.lock.api.LockKey;
import io.micrometer.observation.Observation;
import java.util.Optional;

/** One acquisition of a lock, as an observation. */
public final class LockObservationContext extends Observation.Context {

    /** What came of an acquisition. */
    public enum Outcome {
        /** The lock was acquired. */
        ACQUIRED,
        /** It was not free in time. */
        NOT_ACQUIRED,
        /** There is an {@linkplain #getError() error}: of the store, or an interrupt. */
        FAILED
    }

    private final LockKey key;
    private final String lockName;
    private volatile Optional<Outcome> outcome = Optional.empty();

    /**
     * Creates an instance.
     *
     * @param key what is to be locked
     * @param lockName what this use of locks is called, or empty
     */
    public LockObservationContext(LockKey key, String lockName) {
        this.key = key;
        this.lockName = lockName;
    }

    /** {@return what is to be locked} */
    public LockKey getKey() {
        return key;
    }

    /** {@return what this use of locks is called, see {@code LockRequest.name()}; empty for none} */
    public String getLockName() {
        return lockName;
    }

    /** {@return what came of it; empty while it goes on} */
    public Optional<Outcome> getOutcome() {
        return outcome;
    }

    void ended(Outcome how) {
        outcome = Optional.of(how);
    }
}
