package io.holdfast.lock.store;

/** The reply for one lease. */
public sealed interface RenewReply {

    /** The lease lasts for at least the requested time. */
    record Renewed() implements RenewReply {}

    /** The owner does not hold the lock, or its lease has expired. */
    record NotHolder() implements RenewReply {}

    /**
     * This lock could not be renewed; the reply says nothing about other locks.
     *
     * @param reason the error of the store
     */
    record Failed(String reason) implements RenewReply {}
}
