package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.waiting.Budget;

/**
 * One caller's wish for one lock.
 *
 * @param key what to lock
 * @param terms how
 * @param budget how long to wait
 * @param caller who
 */
record Call(LockKey key, Terms terms, Budget budget, Caller caller) {

    LockEvent.Acquired acquired(Handle handle, boolean handedOff) {
        return new LockEvent.Acquired(key, terms.name(), handle.fencingToken(), budget.spent(), handedOff);
    }

    LockEvent.NotAcquired notAcquired(AcquireResult.Refused refused) {
        return new LockEvent.NotAcquired(key, terms.name(), refused.waited(), refused.holder());
    }

    LockEvent.Failed failed(Throwable failure) {
        return new LockEvent.Failed(key, terms.name(), budget.spent(), failure);
    }
}
