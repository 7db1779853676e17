package io.holdfast.lock.api;

/**
 * A client of a lock store: usually one for each instance of an application.
 *
 * @param id unique; changes with each restart
 * @param host the host name of its machine
 * @param pid the process on that machine
 */
public record ClientId(String id, String host, long pid) {

    /** Escapes the names, because they appear in messages; see {@link LockKey#printable}. */
    public ClientId {
        id = LockKey.printable(id);
        host = LockKey.printable(host);
    }
}
