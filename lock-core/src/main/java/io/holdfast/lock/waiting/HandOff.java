package io.holdfast.lock.waiting;

import io.holdfast.lock.store.OwnerId;

/**
 * A lock that one caller of this client hands to the next, without the store: the lease stays as it is.
 *
 * @param cohort the grant that it belongs to
 * @param token the next holder's fencing token
 * @param deadline until when it is certainly held without renewal, on the ticker
 */
public record HandOff(Cohort cohort, long token, long deadline) {

    /** {@return the acquisition that it was granted to} */
    public OwnerId owner() {
        return cohort.owner();
    }
}
