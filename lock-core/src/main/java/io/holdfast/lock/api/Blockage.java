package io.holdfast.lock.api;

import java.util.Optional;

/**
 * Why a lock was not free while a caller waited for it, as far as the store knows.
 *
 * @param holderWaitsFor what the holder of the lock was itself waiting for, if anything
 * @param deadlock the deadlock that the waiting caller or the holder of the lock was part of, if there was one
 */
public record Blockage(Optional<NestedWait> holderWaitsFor, Optional<Deadlock> deadlock) {

    /** Nothing is known. */
    public static final Blockage UNKNOWN = new Blockage(Optional.empty(), Optional.empty());

    /** {@return a description for messages, appended to that of the holder; empty if nothing is known} */
    String describe() {
        if (deadlock.isPresent()) {
            return " This is a deadlock: " + deadlock.get().describe()
                    + ". Acquire these locks in one request (LockRequest.ofAll), or always in the same order.";
        }
        return holderWaitsFor
                .map(wait -> " The holder is itself waiting: " + wait.describe() + ".")
                .orElse("");
    }
}
