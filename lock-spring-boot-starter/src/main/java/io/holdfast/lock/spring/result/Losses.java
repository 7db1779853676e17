package io.holdfast.lock.spring.result;

import io.holdfast.lock.api.LockLostException;

/** Tells losses apart, and those that count from those that do not. */
final class Losses {

    private Losses() {}

    /** Whether the work failed with the very loss that its lock reports too. */
    static boolean isSame(Throwable failure, LockLostException lost) {
        return failure instanceof LockLostException known
                && known.key().equals(lost.key())
                && known.fencingToken() == lost.fencingToken();
    }

    /** Whether the result stands; then the loss has been logged. */
    static boolean isTolerated(AsyncCall.Rules rules, LockLostException loss) {
        if (!rules.toleratesLoss()) {
            return false;
        }
        rules.tolerated(loss);
        return true;
    }
}
