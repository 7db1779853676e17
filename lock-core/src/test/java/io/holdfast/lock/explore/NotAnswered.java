package io.holdfast.lock.explore;

/** Stops the engine in a call: no handler of failures takes it for one of the store. */
final class NotAnswered extends Error {

    static final NotAnswered ERROR = new NotAnswered();

    private NotAnswered() {
        super("The reply is not known yet", null, false, false);
    }
}
