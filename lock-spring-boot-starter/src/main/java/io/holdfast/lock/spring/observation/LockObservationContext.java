package io.holdfast.lock.spring.observation;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.micrometer.observation.Observation;
import java.time.Duration;
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
    private volatile Optional<LockHolder> blockedBy = Optional.empty();
    private volatile Duration waitedFor = Duration.ZERO;
    private volatile int placeInLine;

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

    /**
     * {@return the last known holder for which the caller had to wait, or because of which it was refused; empty if there was none, and
     * while the acquisition is in progress}
     */
    public Optional<LockHolder> getBlockedBy() {
        return blockedBy;
    }

    /** {@return how long the caller waited for that holder and others; zero if it did not} */
    public Duration getWaitedFor() {
        return waitedFor;
    }

    /** {@return its place in line when it began to wait, see {@link LockEvent.NotAcquired#placeInLine}; 0 also if the holder is unknown} */
    public int getPlaceInLine() {
        return placeInLine;
    }

    /**
     * Sets for whom the caller had to wait; called at the end of the acquisition.
     *
     * @param holder the last known holder
     * @param waited how long the caller waited
     * @param place its place in line, see {@link #getPlaceInLine}
     */
    public void setBlockedBy(LockHolder holder, Duration waited, int place) {
        this.blockedBy = Optional.of(holder);
        this.waitedFor = waited;
        this.placeInLine = place;
    }
}
