package io.holdfast.lock.spring.observation;

import io.holdfast.lock.api.LockKey;
import io.micrometer.observation.Observation;
import java.util.Optional;

/** One acquisition of a lock, as an observation. */
public final class LockObservationContext extends Observation.Context {

    /** The outcome of an acquisition. */
    public enum Outcome {
        /** The lock was acquired. */
        ACQUIRED,
        /** The lock was not acquired in time. */
        NOT_ACQUIRED,
        /** There is an {@linkplain #getError() error}: a failure of the store, or an interrupt. */
        FAILED
    }

    private final LockKey key;
    private final String lockName;
    private volatile Optional<Outcome> outcome = Optional.empty();

    /**
     * Creates an instance.
     *
     * @param key the lock
     * @param lockName the name of the request, or empty
     */
    public LockObservationContext(LockKey key, String lockName) {
        this.key = key;
        this.lockName = lockName;
    }

    /** {@return the lock} */
    public LockKey getKey() {
        return key;
    }

    /** {@return the name of the request, see {@code LockRequest.name()}; empty if it has none} */
    public String getLockName() {
        return lockName;
    }

    /** {@return the outcome; empty while the acquisition is in progress} */
    public Optional<Outcome> getOutcome() {
        return outcome;
    }

    /**
     * Sets the outcome; called at the end of the acquisition.
     *
     * @param outcome how the acquisition has ended
     */
    public void setOutcome(Outcome outcome) {
        this.outcome = Optional.of(outcome);
    }
}
