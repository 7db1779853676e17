package io.holdfast.lock.api;

/**
 * A client of a lock store: usually one for each instance of an application.
 *
 * @param clientId its id, which is unique and changes with each restart
 * @param host the host name of its machine
 * @param pid the process on that machine
 */
public record ClientId(String clientId, String host, long pid) {

    /** Escapes the names, because they appear in messages; see {@link LockKey#printable}. */
    public ClientId {
        clientId = LockKey.printable(clientId);
        host = LockKey.printable(host);
    }
}
