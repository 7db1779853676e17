package io.holdfast.lock.api;

/**
 * All locks in a store, whichever client holds them. For operators and monitoring tools; it makes many calls to the store, so
 * use {@link LockTemplate#inspect} for a single lock.
 *
 * <pre>{@code
 * LockScan scan = allLocks.scan(LockScanRequest.ALL.withKeysStartingWith("order:"));
 * scan.locks().forEach(lock -> System.out.println(lock.key() + " is held by " + lock.holders()));
 * }</pre>
 *
 * <p>Implemented by the lock client, like {@link LocalLocks}. Thread-safe.
 */
public interface AllLocks {

    /**
     * Lists the locks that anybody holds or is waiting for. Reads them in small batches, so each lock is shown as it was at one
     * moment, but that moment is not the same for all locks: a lock that passes from one holder to another during the scan is
     * shown with one of them, and a lock that is held only briefly may be missed. If the thread is interrupted, the scan ends
     * with the locks found so far.
     *
     * @param request which locks to list, how many at most, and how fast to read them
     * @return the locks found, in the order of their keys
     * @throws LockStoreException if the store failed or does not permit the scan; if only some of its servers failed, the
     *     result is incomplete instead
     * @throws UnsupportedOperationException if the store cannot list its locks
     */
    LockScan scan(LockScanRequest request);

    /**
     * Lists the callers, in all clients, that are waiting for a lock while they hold others, and the deadlocks among them, with
     * one call to the store. A deadlock is listed once it has lasted for about a second. Each deadlock listed existed within
     * the last few seconds, but may have been resolved since, because a caller gave up or lost a lock.
     *
     * @return the recorded waits; none if the store does not record waits
     * @throws LockStoreException if the store failed
     */
    LockWaits waits();

    /** {@return this client, as the store and other clients see it} */
    ClientId client();
}
