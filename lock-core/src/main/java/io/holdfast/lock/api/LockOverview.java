package io.holdfast.lock.api;

/**
 * All locks of a store, whichever client holds them. For people who look at the whole system, and for their tools: it calls the
 * store often enough to be no substitute for {@link LockTemplate#inspect}.
 *
 * <pre>{@code
 * LockScan scan = overview.scan(LockScanRequest.ALL.withKeyPrefix("order:"));
 * scan.locks().forEach(lock -> System.out.println(lock.key() + " is held by " + lock.holders()));
 * }</pre>
 *
 * <p>Implemented by the lock client, like {@link LockActivity}. Thread-safe.
 */
public interface LockOverview {

    /**
     * Lists the locks that anybody holds or waits for. Reads them in small steps, one after the other, so each lock is shown as
     * it was at one moment, but not all of them as they were at the same moment: a lock that passes from one holder to another
     * meanwhile is shown with one of them, and one that is held only briefly may be missed. If the thread is interrupted, the scan
     * ends with what it has found.
     *
     * @param request which locks, how many at most, and how fast to read
     * @return what was found, in the order of the keys
     * @throws LockStoreException if the store failed, or does not permit it; if only some of its servers failed, the result is
     *     incomplete instead
     * @throws UnsupportedOperationException if the store cannot list its locks
     */
    LockScan scan(LockScanRequest request);

    /**
     * Lists the callers of all clients that wait for a lock while they hold others, and the deadlocks among them, with one call to the
     * store. A deadlock is listed once it has lasted for about a second. Each one listed existed within the last few seconds, but may
     * have been resolved since, because somebody gave up or lost what they held.
     *
     * @return the waits, as recorded; none if the store records none
     * @throws LockStoreException if the store failed
     */
    LockWaits waits();

    /** {@return this client, as the store and other clients know it} */
    LockClient client();
}
