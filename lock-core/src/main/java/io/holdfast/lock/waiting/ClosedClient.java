package io.holdfast.lock.waiting;

/** What waiting callers get when the client is closed. */
final class ClosedClient {

    private ClosedClient() {}

    static IllegalStateException exception() {
        return new IllegalStateException("The lock client is closed; no lock can be acquired");
    }
}
