package io.holdfast.lock.store.scan;

import io.holdfast.lock.api.NestedWait;

/**
 * A client's report to the store about one of its nested waits.
 *
 * @param id the id of the wait, which its client never reuses
 * @param ended whether it has ended without the lock: it is kept for a short time, so that others in its cycle can still name
 *     it
 * @param what the waiting caller, and the locks it held when it was last seen waiting
 */
public record WaitReport(long id, boolean ended, NestedWait what) {}
