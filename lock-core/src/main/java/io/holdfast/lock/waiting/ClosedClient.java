package io.holdfast.lock.waiting;

/** What is told to whoever waits when the client is closed. */
final class ClosedClient {

    private ClosedClient() {}

    static IllegalStateException exception() {
        return new IllegalStateException("The lock client is closed; no lock can be acquired");
    }
}
