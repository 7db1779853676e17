package io.holdfast.lock.store.overview;

import io.holdfast.lock.api.NestedWait;

/**
 * What a client tells the store of one of its nested waits.
 *
 * @param id of the wait, which its client never uses again
 * @param ended whether it has ended without the lock: it is kept for a moment, so that others in its cycle can still name it
 * @param what who waits, and what it held when it was last seen waiting
 */
public record WaitReport(long id, boolean ended, NestedWait what) {}
