package io.holdfast.lock.explore;

/**
 * Rules that are left out on purpose, to see that the exploration notices. Some are in the code of the test; those with a text are in
 * the source of the engine's {@code Acquisition}, see {@link Mutant}.
 */
enum Defect {
    /** A grant by message is believed whatever it says. */
    UNVERIFIED_MESSAGES("entry.claim(", "io.holdfast.lock.explore.Claims.accepted(entry, "),
    /** A cloned process goes on with the owner ids of the other one. */
    SAME_OWNER_IDS,
    /** An entry counts as received of although nobody has asked for it, so that it is reserved again and again. */
    SILENT_ENTRIES_COUNT_AS_ALIVE,
    /** A grant that comes after its own deadline is reported as contention. */
    LATE_GRANT_IS_CONTENTION(
            "throw new LockStoreException(\"Lock '\" + key + \"' \" + why, null, false);",
            "refused(Optional.empty()); return;"),
    /** A grant that comes after its own deadline is used. */
    LATE_GRANT_IS_USED("sentAt < terms.leaseNanos()", "sentAt < Long.MAX_VALUE"),
    /** A grant that comes after its own deadline is forgotten, and stays at the store. */
    LATE_GRANT_IS_NOT_UNDONE("undo(); if (budget.remainingNanos() == 0) {", "if (budget.remainingNanos() == 0) {"),
    /** After a grant that came too late, and was undone, the same owner id asks again. */
    UNDONE_OWNER_ID_ASKS_AGAIN("renewEntry(); state = State.ASK;", "state = State.ASK;"),
    /** Leases count from the answer instead of from before the call was sent. */
    LEASE_COUNTS_FROM_ANSWER(
            "place.answered(); return reply;", "place.answered(); sentAt = client.ticker.nanos(); return reply;"),
    /** A call that may still arrive is not refused when it does. */
    NO_CANCELLATION(
            "cleanup.leave(key, entry.owner, resent ? terms.leaseNanos() : 0);", "cleanup.leave(key, entry.owner, 0);"),
    /** The same for a last try that was refused, and sent twice. */
    REFUSED_TRY_IS_NOT_CANCELLED("else if (resent || kept)", "else if (kept)"),
    /** A waiter that is interrupted leaves its entry behind. */
    INTERRUPT_LEAVES_ENTRY(
            "e instanceof LockOverloadException)) { giveUp();", "e instanceof LockOverloadException)) {"),
    /** A budget that ends before the reply allows for another call. */
    BUDGET_ENDS_UNNOTICED("held(refusal, last || budget.remainingNanos() == 0);", "held(refusal, last);"),
    /** A restarted server takes its start for up to a second earlier than it was. */
    EARLY_REJOIN_NOTE,
    /** A restarted server grants what it does not know at once. */
    NO_REJOIN_DELAY,
    /** A server says that it has noted a token which others agreed on, and has not. */
    TOKEN_NOT_NOTED;

    /** What stands in the source, once, and what stands there instead; empty if the defect is elsewhere. */
    final String text;

    final String instead;

    Defect() {
        this("", "");
    }

    Defect(String text, String instead) {
        this.text = text;
        this.instead = instead;
    }
}
