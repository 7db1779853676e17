package io.holdfast.lock.store;

/** The answer for one lease. */
public sealed interface RenewReply {

    /** The lease lasts for at least the requested time. */
    record Renewed() implements RenewReply {}

    /** The owner does not hold the lock, or its lease has ended. */
    record NotHolder() implements RenewReply {}

    /**
     * This lock could not be renewed; others could.
     *
     * @param reason what the store said
     */
    record Failed(String reason) implements RenewReply {}
}
